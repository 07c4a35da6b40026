-- $1 head, $2 name, $3 key, $4 behind this inbox_seq, $5 limit; a null name or key takes any
SELECT * FROM event_store.inbox
 WHERE head = $1 AND inbox_seq > $4 AND consumed_at_seq IS NULL
   AND ($2::text IS NULL OR name = $2) AND ($3::text IS NULL OR key = $3)
 ORDER BY inbox_seq LIMIT $5;
