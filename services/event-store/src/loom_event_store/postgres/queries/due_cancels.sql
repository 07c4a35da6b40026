-- $1 after this surrogate, $2 limit
SELECT * FROM event_store.heads
 WHERE status IN ('pending', 'running', 'parked') AND cancel_deadline IS NOT NULL
   AND cancel_deadline <= event_store.instant() AND head > $1
 ORDER BY head LIMIT $2;
