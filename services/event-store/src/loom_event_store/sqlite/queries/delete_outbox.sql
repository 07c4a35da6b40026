-- :ids is a JSON array
DELETE FROM outbox WHERE id IN (SELECT value FROM json_each(:ids));
