-- :name and :key null take any
SELECT * FROM inbox INDEXED BY inbox_waiting
 WHERE head = :head AND inbox_seq > :after AND consumed_at_seq IS NULL
   AND (:name IS NULL OR name = :name) AND (:key IS NULL OR key = :key)
 ORDER BY inbox_seq LIMIT :limit;
