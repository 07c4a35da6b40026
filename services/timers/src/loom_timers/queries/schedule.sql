-- $1 to $6 the whole key, $7 wake_at or null, $8 delay_ms, $9 attempt, $10 traceparent or null
-- A row comes back when it was made or advanced. A smaller or equal attempt changes nothing (I34).
INSERT INTO own.timers AS known (
    namespace, execution_id, incarnation, park_seq, wait_id, kind, wake_at, attempt, traceparent, made_at
)
VALUES ($1, $2, $3, $4, $5, $6, coalesce($7, own.loom_now() + $8), $9, $10, own.loom_now())
ON CONFLICT (namespace, execution_id, incarnation, park_seq, wait_id, kind) DO UPDATE
SET wake_at = excluded.wake_at, attempt = excluded.attempt, claim = NULL, claimed_until = 0,
    traceparent = excluded.traceparent
WHERE excluded.attempt > known.attempt
RETURNING attempt
