-- $1 head, $2 from_seq, $3 limit
SELECT * FROM event_store.events WHERE head = $1 AND seq >= $2 ORDER BY seq LIMIT $3;
