-- $1 after this surrogate, $2 limit, $3 grace in milliseconds
SELECT * FROM event_store.heads
 WHERE status = 'parked' AND park_seq IS NOT NULL AND wake_at IS NOT NULL AND wake_at <= event_store.instant() - $3
   AND head > $1
 ORDER BY head LIMIT $2;
