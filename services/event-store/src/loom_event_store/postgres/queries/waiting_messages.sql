-- $1 head
SELECT count(*) AS number FROM event_store.inbox WHERE head = $1 AND consumed_at_seq IS NULL;
