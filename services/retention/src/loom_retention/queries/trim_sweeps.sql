-- $1 how many of the newest are kept
DELETE FROM own.sweeps WHERE started_at < (SELECT min(started_at) FROM (SELECT started_at FROM own.sweeps ORDER BY started_at DESC LIMIT $1) AS newest)
