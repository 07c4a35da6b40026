SELECT * FROM heads INDEXED BY heads_deadlines
 WHERE status IN ('pending', 'running', 'parked') AND deadline_at IS NOT NULL AND cancel_requested_at IS NULL
   AND deadline_at <= :now AND head > :after
 ORDER BY head LIMIT :limit;
