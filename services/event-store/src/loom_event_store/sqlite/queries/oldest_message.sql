-- :key null takes any
SELECT * FROM inbox INDEXED BY inbox_waiting_by_name
 WHERE head = :head AND name = :name AND consumed_at_seq IS NULL AND (:key IS NULL OR key = :key)
 ORDER BY inbox_seq LIMIT 1;
