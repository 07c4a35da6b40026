-- :ids is a JSON array
UPDATE outbox
   SET attempts = attempts + 1, dead_at = CASE WHEN attempts + 1 >= :attempts_max THEN :now END
 WHERE id IN (SELECT value FROM json_each(:ids)) AND dead_at IS NULL;
