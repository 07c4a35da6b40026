-- candidates, oldest first; each is decided by itself afterwards, under the same lock. :workflows is a JSON array
SELECT * FROM heads
 WHERE namespace = :namespace AND queue = :queue AND status IN ('pending', 'running')
   AND single_writer = 0 AND unknown_tail = 0
   AND (grant_hash IS NULL OR lease_until IS NULL OR lease_until <= :now OR token < :least_token)
   AND (not_before IS NULL OR not_before <= :now)
   AND workflow || '@' || code_version IN (SELECT value FROM json_each(:workflows))
 ORDER BY status_at, head LIMIT :limit;
