-- $1 after this surrogate, $2 limit
SELECT * FROM event_store.heads
 WHERE status IN ('pending', 'running', 'parked') AND deadline_at IS NOT NULL AND cancel_requested_at IS NULL
   AND deadline_at <= event_store.instant() AND head > $1
 ORDER BY head LIMIT $2;
