-- $1 limit; newest first
SELECT report FROM own.sweeps ORDER BY started_at DESC LIMIT $1
