-- $1 how many of the newest are kept
DELETE FROM sweeps WHERE started_at < (SELECT min(started_at) FROM (SELECT started_at FROM sweeps ORDER BY started_at DESC LIMIT $1) AS newest)
