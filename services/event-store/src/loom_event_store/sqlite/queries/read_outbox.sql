SELECT * FROM outbox WHERE id > :after ORDER BY id LIMIT :limit;
