-- $1 namespace, $2 queue, $3 workflows, $4 now, $5 least token of this epoch, $6 limit: oldest first, locked; those that
-- somebody else is at are passed over
SELECT * FROM event_store.heads
 WHERE namespace = $1 AND queue = $2 AND status IN ('pending', 'running')
   AND NOT single_writer AND NOT unknown_tail
   AND (grant_hash IS NULL OR lease_until IS NULL OR lease_until <= $4 OR token < $5)
   AND (not_before IS NULL OR not_before <= $4)
   AND workflow || '@' || code_version = ANY ($3::text[])
 ORDER BY status_at, head LIMIT $6
   FOR UPDATE SKIP LOCKED;
