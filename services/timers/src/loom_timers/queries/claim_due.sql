-- $1 kinds as a JSON list, $2 claim, $3 limit, $4 ttl_ms
-- Kinds are filtered before the limit: what this node cannot judge starves nobody (I35).
UPDATE timers
SET claim = $2, claimed_until = loom_now() + $4
WHERE (namespace, execution_id, incarnation, park_seq, wait_id, kind) IN (
    SELECT namespace, execution_id, incarnation, park_seq, wait_id, kind
    FROM timers
    WHERE kind IN (SELECT value FROM json_each($1)) AND wake_at <= loom_now() AND claimed_until <= loom_now()
    ORDER BY wake_at
    LIMIT $3
)
RETURNING namespace, execution_id, incarnation, park_seq, wait_id, kind, wake_at, attempt, claim, claimed_until
