BEGIN TRANSACTION;
CREATE TABLE archives (
    incarnation  bigint PRIMARY KEY,
    namespace    text   NOT NULL,
    execution_id text   NOT NULL,
    last_seq     bigint NOT NULL,
    archived_at  bigint NOT NULL,
    manifest     text   NOT NULL
);
INSERT INTO "archives" VALUES(7,'n','e',3,2,'{"format":1,"namespace":"n","execution_id":"e","incarnation":"7","ending":"completed","last_seq":3,"events":3,"edges":0,"messages":0,"bytes":10,"sha256":"0000000000000000000000000000000000000000000000000000000000000000","archived_at":2,"file":"7.jsonl.zst"}');
CREATE TABLE clock (only INTEGER PRIMARY KEY CHECK (only = 1), seen_at INTEGER NOT NULL);
INSERT INTO "clock" VALUES(1,1795990891823);
CREATE TABLE policies (
    namespace text PRIMARY KEY,
    keep      text NOT NULL               -- JSON: for each ending milliseconds, or null for ever
);
INSERT INTO "policies" VALUES('n','{"completed":5,"failed":7776000000,"cancelled":2592000000,"continued":2592000000}');
CREATE TABLE sweeps (
    started_at bigint NOT NULL,           -- milliseconds since the Unix epoch, on the event store's clock
    dry_run    boolean NOT NULL,
    report     text NOT NULL
);
INSERT INTO "sweeps" VALUES(1,0,'{"started_at":1,"dry_run":false,"finished":true,"counts":{},"items":[]}');
CREATE INDEX sweeps_by_time ON sweeps (started_at);
CREATE INDEX archives_by_id ON archives (namespace, execution_id);
COMMIT;
PRAGMA user_version = 1;
