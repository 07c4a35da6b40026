-- $1 namespace, $2 execution_id, $3 the living incarnation, $4 park_seq: rows below it, and those of other incarnations
DELETE FROM own.timers
WHERE namespace = $1 AND execution_id = $2 AND (incarnation <> $3 OR park_seq < $4)
RETURNING kind
