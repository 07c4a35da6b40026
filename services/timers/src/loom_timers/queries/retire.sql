-- $1 to $6 the whole key (I33), $7 claim, or null for whoever holds it
DELETE FROM own.timers
WHERE namespace = $1 AND execution_id = $2 AND incarnation = $3 AND park_seq = $4 AND wait_id = $5 AND kind = $6
  AND (CAST($7 AS text) IS NULL OR claim = $7)
RETURNING kind
