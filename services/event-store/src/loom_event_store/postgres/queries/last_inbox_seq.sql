-- $1 head
SELECT coalesce(max(inbox_seq), 0) AS number FROM event_store.inbox WHERE head = $1;
