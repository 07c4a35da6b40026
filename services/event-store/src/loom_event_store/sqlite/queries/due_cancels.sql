SELECT * FROM heads INDEXED BY heads_cancels
 WHERE status IN ('pending', 'running', 'parked') AND cancel_deadline IS NOT NULL AND cancel_deadline <= :now
   AND head > :after
 ORDER BY head LIMIT :limit;
