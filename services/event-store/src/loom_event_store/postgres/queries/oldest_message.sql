-- $1 head, $2 name, $3 key; null takes any
SELECT * FROM event_store.inbox
 WHERE head = $1 AND name = $2 AND consumed_at_seq IS NULL AND ($3::text IS NULL OR key = $3)
 ORDER BY inbox_seq LIMIT 1;
