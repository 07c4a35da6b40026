-- Retention's own schema: policies, sweeps, and the catalogue of what is archived.
CREATE TABLE policies (
    namespace text PRIMARY KEY,
    keep      text NOT NULL               -- JSON: for each ending milliseconds, or null for ever
);

CREATE TABLE sweeps (
    started_at bigint NOT NULL,           -- milliseconds since the Unix epoch, on the event store's clock
    dry_run    boolean NOT NULL,
    report     text NOT NULL
);

CREATE INDEX sweeps_by_time ON sweeps (started_at);

CREATE TABLE archives (
    incarnation  bigint PRIMARY KEY,
    namespace    text   NOT NULL,
    execution_id text   NOT NULL,
    last_seq     bigint NOT NULL,
    archived_at  bigint NOT NULL,
    manifest     text   NOT NULL
);

CREATE INDEX archives_by_id ON archives (namespace, execution_id);
