-- $1 head, $2 message_id
SELECT * FROM event_store.inbox WHERE head = $1 AND message_id = $2;
