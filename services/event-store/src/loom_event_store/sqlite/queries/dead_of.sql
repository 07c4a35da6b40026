-- :ids is a JSON array
SELECT id FROM outbox WHERE id IN (SELECT value FROM json_each(:ids)) AND dead_at IS NOT NULL ORDER BY id;
