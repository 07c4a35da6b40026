-- $1 head
SELECT count(*) FROM event_store.outbox WHERE head = $1;
