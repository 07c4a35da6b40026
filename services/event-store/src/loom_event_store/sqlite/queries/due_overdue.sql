SELECT * FROM heads
 WHERE status = 'parked' AND park_seq IS NOT NULL AND wake_at IS NOT NULL AND wake_at <= :before AND head > :after
 ORDER BY head LIMIT :limit;
