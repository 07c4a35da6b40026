-- $1 namespace, $2 execution_id, $3 incarnation, $4 park_seq, $5 wait_id, $6 kind, $7 wake_at or null, $8 delay_ms, $9 attempt
-- A row comes back when it was made or advanced. A smaller or equal attempt changes nothing (I34).
INSERT INTO own.timers AS known (namespace, execution_id, incarnation, park_seq, wait_id, kind, wake_at, attempt)
VALUES ($1, $2, $3, $4, $5, $6, coalesce($7, own.loom_now() + $8), $9)
ON CONFLICT (namespace, execution_id, incarnation, park_seq, wait_id, kind) DO UPDATE
SET wake_at = excluded.wake_at, attempt = excluded.attempt, claim = NULL, claimed_until = 0
WHERE excluded.attempt > known.attempt
RETURNING attempt
