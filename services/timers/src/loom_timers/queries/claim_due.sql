-- $1 kinds between commas, one before and one behind each; $2 claim, $3 limit, $4 ttl_ms
-- Kinds are filtered before the limit: what this node cannot judge starves nobody (I35). The row's own columns are
-- judged once more on the row itself: whoever waited for another claimer finds it claimed (H24).
UPDATE own.timers
SET claim = $2, claimed_until = own.loom_now() + $4
WHERE (namespace, execution_id, incarnation, park_seq, wait_id, kind) IN (
    SELECT namespace, execution_id, incarnation, park_seq, wait_id, kind
    FROM own.timers
    WHERE replace($1, ',' || kind || ',', '') <> $1 AND wake_at <= own.loom_now() AND claimed_until <= own.loom_now()
    ORDER BY wake_at
    LIMIT $3
)
  AND wake_at <= own.loom_now() AND claimed_until <= own.loom_now()
RETURNING namespace, execution_id, incarnation, park_seq, wait_id, kind, wake_at, attempt, claim, claimed_until,
    traceparent, made_at
