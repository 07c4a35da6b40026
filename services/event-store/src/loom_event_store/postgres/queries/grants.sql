-- $1 head
SELECT * FROM event_store.grants WHERE head = $1 ORDER BY token;
