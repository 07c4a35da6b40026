-- The timers' own schema: rows are hints, derived from parks (I32). One row per whole key (I33).
CREATE TABLE timers (
    namespace     text    NOT NULL,
    execution_id  text    NOT NULL,
    incarnation   bigint  NOT NULL,
    park_seq      bigint  NOT NULL,
    wait_id       text    NOT NULL,
    kind          text    NOT NULL,
    wake_at       bigint  NOT NULL,             -- milliseconds since the Unix epoch
    attempt       integer NOT NULL DEFAULT 0,   -- tries that were contended; never falls
    claim         text,
    claimed_until bigint  NOT NULL DEFAULT 0,   -- <= now: free
    PRIMARY KEY (namespace, execution_id, incarnation, park_seq, wait_id, kind)
);

CREATE INDEX timers_by_time ON timers (wake_at, kind);
