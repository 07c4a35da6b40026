-- $1 namespace, $2 id
SELECT * FROM event_store.heads WHERE namespace = $1 AND execution_id = $2;
