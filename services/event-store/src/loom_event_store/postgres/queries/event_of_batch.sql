-- $1 head, $2 batch_id
SELECT * FROM event_store.events WHERE head = $1 AND batch_id = $2;
