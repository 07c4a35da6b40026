SELECT count(*) FROM polls
 WHERE namespace = :namespace AND queue = :queue AND workflow = :workflow AND seen_at > :after;
