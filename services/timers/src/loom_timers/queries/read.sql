-- $1 namespace, $2 execution_id
SELECT namespace, execution_id, incarnation, park_seq, wait_id, kind, wake_at, attempt, claim, claimed_until,
    traceparent, made_at
FROM own.timers
WHERE namespace = $1 AND execution_id = $2
ORDER BY wake_at
