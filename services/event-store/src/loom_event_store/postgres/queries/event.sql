-- $1 head, $2 seq
SELECT * FROM event_store.events WHERE head = $1 AND seq = $2;
