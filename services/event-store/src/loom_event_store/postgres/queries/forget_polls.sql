-- $1 kept for, in milliseconds
DELETE FROM event_store.polls WHERE seen_at < event_store.instant() - $1;
