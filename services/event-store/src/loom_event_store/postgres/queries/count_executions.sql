-- $1 namespace
SELECT status, count(*) AS count FROM event_store.heads WHERE namespace = $1 GROUP BY status ORDER BY status;
