-- $1 after this id, $2 limit
SELECT * FROM event_store.outbox WHERE id > $1 AND dead_at IS NULL ORDER BY id LIMIT $2;
