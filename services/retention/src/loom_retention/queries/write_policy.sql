-- $1 namespace, $2 keep
INSERT INTO own.policies (namespace, keep) VALUES ($1, $2)
ON CONFLICT (namespace) DO UPDATE SET keep = excluded.keep
