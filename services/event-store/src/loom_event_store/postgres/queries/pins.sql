-- $1 head
SELECT * FROM event_store.pins WHERE head = $1 ORDER BY owner;
