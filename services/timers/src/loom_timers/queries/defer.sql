-- $1 to $6 the whole key, $7 claim, $8 delay_ms
UPDATE own.timers
SET wake_at = own.loom_now() + $8, claim = NULL, claimed_until = 0
WHERE namespace = $1 AND execution_id = $2 AND incarnation = $3 AND park_seq = $4 AND wait_id = $5 AND kind = $6
  AND claim = $7
