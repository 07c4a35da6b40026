BEGIN TRANSACTION;
CREATE TABLE clock (only INTEGER PRIMARY KEY CHECK (only = 1), seen_at INTEGER NOT NULL);
INSERT INTO "clock" VALUES(1,1795997942986);
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
    claimed_until bigint  NOT NULL DEFAULT 0, traceparent text, made_at bigint NOT NULL DEFAULT 0,   -- <= now: free
    PRIMARY KEY (namespace, execution_id, incarnation, park_seq, wait_id, kind)
);
INSERT INTO "timers" VALUES('n','e',7,2,'timer','wake',1795997942896,0,'claim',1795997943986,NULL,1795997942896);
INSERT INTO "timers" VALUES('n','e',7,4,'timer','redrive',1795997942980,0,NULL,0,NULL,1795997942980);
CREATE INDEX timers_by_time ON timers (wake_at, kind);
COMMIT;
PRAGMA user_version = 2;
