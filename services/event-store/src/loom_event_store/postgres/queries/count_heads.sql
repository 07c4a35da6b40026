-- $1 namespaces, $2 ids: waits for nobody
SELECT count(*) FROM event_store.heads WHERE (namespace, execution_id) IN (SELECT * FROM unnest($1::text[], $2::text[]));
