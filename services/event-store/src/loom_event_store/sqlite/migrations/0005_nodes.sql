-- Who is in the fleet: a row a process, written by its heartbeats.
CREATE TABLE nodes (
    instance TEXT PRIMARY KEY,
    role     TEXT    NOT NULL,
    version  TEXT    NOT NULL,
    features TEXT    NOT NULL, -- a JSON array of those it knows
    seen_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
