-- $1 namespace, $2 queue, $3 workflow, $4 since when, in milliseconds before now
SELECT count(*) FROM event_store.polls
 WHERE namespace = $1 AND queue = $2 AND workflow = $3 AND seen_at > event_store.instant() - $4;
