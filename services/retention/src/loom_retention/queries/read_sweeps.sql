-- $1 limit; newest first
SELECT report FROM sweeps ORDER BY started_at DESC LIMIT $1
