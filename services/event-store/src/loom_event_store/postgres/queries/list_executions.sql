-- $1 namespace, $2 below this surrogate, $3 statuses, $4 workflow, $5 id prefix, $6 ended before, $7 limit: newest first;
-- every filter is null or a value
SELECT * FROM event_store.heads
 WHERE namespace = $1 AND head < $2
   AND ($3::text[] IS NULL OR status = ANY ($3))
   AND ($4::text IS NULL OR workflow = $4)
   AND ($5::text IS NULL OR starts_with(execution_id, $5))
   AND ($6::bigint IS NULL OR ended_at < $6 AND status IN ('completed', 'failed', 'cancelled', 'continued'))
 ORDER BY head DESC LIMIT $7;
