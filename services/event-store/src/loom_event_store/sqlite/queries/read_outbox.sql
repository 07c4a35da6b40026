SELECT * FROM outbox WHERE id > :after AND dead_at IS NULL ORDER BY id LIMIT :limit;
