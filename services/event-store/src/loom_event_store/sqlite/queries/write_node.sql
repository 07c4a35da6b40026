INSERT INTO nodes (instance, role, version, features, seen_at)
VALUES (:instance, :role, :version, :features, :seen_at)
ON CONFLICT (instance) DO UPDATE SET
    role = excluded.role, version = excluded.version, features = excluded.features, seen_at = excluded.seen_at;
