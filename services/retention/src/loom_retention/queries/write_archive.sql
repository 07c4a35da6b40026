-- $1 incarnation, $2 namespace, $3 execution_id, $4 last_seq, $5 archived_at, $6 manifest
INSERT INTO own.archives (incarnation, namespace, execution_id, last_seq, archived_at, manifest)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (incarnation) DO UPDATE
SET last_seq = excluded.last_seq, archived_at = excluded.archived_at, manifest = excluded.manifest
