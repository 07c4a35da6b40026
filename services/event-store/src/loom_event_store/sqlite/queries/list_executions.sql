-- newest first, below the cursor. :statuses is null or a JSON array; the other filters are null or a value
SELECT * FROM heads
 WHERE namespace = :namespace AND head < :before
   AND (:statuses IS NULL OR status IN (SELECT value FROM json_each(:statuses)))
   AND (:workflow IS NULL OR workflow = :workflow)
   AND (:id_prefix IS NULL OR substr(execution_id, 1, length(:id_prefix)) = :id_prefix)
   AND (:ended_before IS NULL
        OR ended_at < :ended_before AND status IN ('completed', 'failed', 'cancelled', 'continued'))
 ORDER BY head DESC LIMIT :limit;
