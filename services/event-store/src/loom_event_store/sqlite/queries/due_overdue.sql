SELECT * FROM heads INDEXED BY heads_overdue
 WHERE status = 'parked' AND park_seq IS NOT NULL AND wake_at IS NOT NULL AND wake_at <= :before AND head > :after
 ORDER BY head LIMIT :limit;
