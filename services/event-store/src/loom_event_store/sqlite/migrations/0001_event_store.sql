-- Every table of the event store. One row of `heads` decides everything about its execution: no statement judges an
-- execution by another table before it has the file's write lock (BEGIN IMMEDIATE), so all that it reads is one state.
-- Instants are milliseconds since the Unix epoch; booleans 0 or 1; payloads the JSON text received.

CREATE TABLE IF NOT EXISTS heads (
    head                INTEGER PRIMARY KEY,
    namespace           TEXT    NOT NULL,
    execution_id        TEXT    NOT NULL,
    incarnation         INTEGER NOT NULL UNIQUE,
    chain               INTEGER NOT NULL,
    link                INTEGER NOT NULL,
    single_writer       INTEGER NOT NULL,
    token               INTEGER NOT NULL,
    grant_hash          TEXT,
    owner               TEXT,
    lease_until         INTEGER,
    status              TEXT    NOT NULL,
    last_seq            INTEGER NOT NULL,
    last_position       INTEGER,
    park_seq            INTEGER,
    waits               TEXT,
    wake_at             INTEGER,
    unknown_tail        INTEGER NOT NULL,
    workflow            TEXT    NOT NULL,
    code_version        TEXT    NOT NULL,
    queue               TEXT,
    not_before          INTEGER,
    deadline_at         INTEGER,
    parent_head         INTEGER,
    parent_incarnation  INTEGER,
    parent_key          TEXT,
    root                INTEGER NOT NULL,
    cancel_requested_at INTEGER,
    cancel_seq          INTEGER,
    cancel_deadline     INTEGER,
    fruitless_claims    INTEGER NOT NULL,
    archived_seq        INTEGER,
    log_bytes           INTEGER NOT NULL,
    created_at          INTEGER NOT NULL,
    status_at           INTEGER NOT NULL,
    ended_at            INTEGER,
    ending              TEXT,
    result_digest       TEXT,
    UNIQUE (namespace, execution_id)
) STRICT;

-- list_executions, newest first
CREATE INDEX IF NOT EXISTS heads_listed ON heads (namespace, head);
-- count_executions
CREATE INDEX IF NOT EXISTS heads_by_status ON heads (namespace, status);
-- claim_runnable, oldest first
CREATE INDEX IF NOT EXISTS heads_runnable ON heads (namespace, queue, status_at, head)
    WHERE status IN ('pending', 'running') AND queue IS NOT NULL;
-- a repeat of claim_runnable
CREATE INDEX IF NOT EXISTS heads_granted ON heads (grant_hash) WHERE grant_hash IS NOT NULL;
-- list_due, one for each question
CREATE INDEX IF NOT EXISTS heads_overdue ON heads (wake_at, head) WHERE status = 'parked' AND wake_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS heads_awaiting_children ON heads (head)
    WHERE status = 'parked' AND (instr(waits, '"child":') OR instr(waits, '"group":'));
CREATE INDEX IF NOT EXISTS heads_cancels ON heads (cancel_deadline, head)
    WHERE status IN ('pending', 'running', 'parked') AND cancel_deadline IS NOT NULL;
CREATE INDEX IF NOT EXISTS heads_deadlines ON heads (deadline_at, head)
    WHERE status IN ('pending', 'running', 'parked') AND deadline_at IS NOT NULL AND cancel_requested_at IS NULL;

CREATE TABLE IF NOT EXISTS events (
    head         INTEGER NOT NULL,
    seq          INTEGER NOT NULL,
    kind         TEXT    NOT NULL,
    payload      TEXT    NOT NULL,
    position     INTEGER,
    fence        INTEGER NOT NULL,
    kernel       INTEGER NOT NULL,
    actor        TEXT,
    answers_park INTEGER,
    batch_id     TEXT,
    batch_digest TEXT,
    traceparent  TEXT,
    recorded_at  INTEGER NOT NULL,
    PRIMARY KEY (head, seq)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX IF NOT EXISTS events_answer_once ON events (head, answers_park) WHERE answers_park IS NOT NULL;
CREATE UNIQUE INDEX IF NOT EXISTS events_end_once ON events (head) WHERE kind IN
    ('EXECUTION_COMPLETED', 'EXECUTION_FAILED', 'EXECUTION_CANCELLED', 'EXECUTION_CONTINUED');
CREATE UNIQUE INDEX IF NOT EXISTS events_batch_once ON events (head, batch_id) WHERE batch_id IS NOT NULL;

CREATE TABLE IF NOT EXISTS edges (
    edge               INTEGER PRIMARY KEY,
    parent_head        INTEGER NOT NULL,
    parent_incarnation INTEGER NOT NULL,
    child_key          TEXT    NOT NULL,
    child_namespace    TEXT    NOT NULL,
    child_id           TEXT    NOT NULL,
    child_incarnation  INTEGER NOT NULL,
    status             TEXT    NOT NULL,
    outcome            TEXT,
    close              TEXT    NOT NULL,
    scope              TEXT    NOT NULL,
    released           INTEGER NOT NULL,
    consumed_at_seq    INTEGER,
    UNIQUE (parent_head, parent_incarnation, child_key)
) STRICT;

CREATE INDEX IF NOT EXISTS edges_by_child ON edges (child_incarnation, child_namespace, child_id, edge);
CREATE INDEX IF NOT EXISTS edges_in_order ON edges (parent_head, parent_incarnation, edge);
CREATE INDEX IF NOT EXISTS edges_open ON edges (parent_head, parent_incarnation) WHERE status = 'open';
CREATE INDEX IF NOT EXISTS edges_ended ON edges (parent_head, parent_incarnation, consumed_at_seq, released)
    WHERE status <> 'open';

CREATE TABLE IF NOT EXISTS inbox (
    head            INTEGER NOT NULL,
    message_id      TEXT    NOT NULL,
    inbox_seq       INTEGER NOT NULL,
    name            TEXT    NOT NULL,
    key             TEXT,
    payload         TEXT    NOT NULL,
    sender          TEXT,
    sent_at         INTEGER NOT NULL,
    resumed         INTEGER NOT NULL,
    consumed_at_seq INTEGER,
    PRIMARY KEY (head, message_id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX IF NOT EXISTS inbox_in_order ON inbox (head, inbox_seq);
CREATE INDEX IF NOT EXISTS inbox_waiting ON inbox (head, inbox_seq) WHERE consumed_at_seq IS NULL;
CREATE INDEX IF NOT EXISTS inbox_waiting_by_name ON inbox (head, name, inbox_seq) WHERE consumed_at_seq IS NULL;

CREATE TABLE IF NOT EXISTS metas (
    head    INTEGER PRIMARY KEY,
    bytes   BLOB    NOT NULL,
    version INTEGER NOT NULL,
    name    TEXT,
    tags    TEXT
) STRICT;

CREATE TABLE IF NOT EXISTS blobs (
    head  INTEGER NOT NULL,
    ref   TEXT    NOT NULL,
    bytes BLOB    NOT NULL,
    PRIMARY KEY (head, ref)
) STRICT;

CREATE TABLE IF NOT EXISTS pins (
    head   INTEGER NOT NULL,
    owner  TEXT    NOT NULL,
    reason TEXT    NOT NULL,
    expiry INTEGER,
    PRIMARY KEY (head, owner) -- the rowid is the order of their making
) STRICT;

CREATE TABLE IF NOT EXISTS outbox (
    id          INTEGER PRIMARY KEY AUTOINCREMENT, -- never given again, so that a late acknowledgement removes nothing new
    head        INTEGER NOT NULL,
    topic       TEXT    NOT NULL,
    key         TEXT    NOT NULL,
    body        TEXT    NOT NULL,
    traceparent TEXT,
    created_at  INTEGER NOT NULL,
    attempts    INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX IF NOT EXISTS outbox_by_head ON outbox (head);

CREATE TABLE IF NOT EXISTS grants (
    head  INTEGER NOT NULL,
    token INTEGER NOT NULL,
    rule  TEXT    NOT NULL,
    owner TEXT,
    at    INTEGER NOT NULL,
    PRIMARY KEY (head, token)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS refusals (
    head          INTEGER NOT NULL,
    token         INTEGER NOT NULL,
    surface       TEXT    NOT NULL,
    code          TEXT    NOT NULL,
    current_token INTEGER NOT NULL,
    count         INTEGER NOT NULL,
    first_at      INTEGER NOT NULL,
    last_at       INTEGER NOT NULL,
    PRIMARY KEY (head, token, surface) -- the rowid, given anew by each refusal, is their order
) STRICT;

CREATE TABLE IF NOT EXISTS duties (
    name     TEXT PRIMARY KEY,
    owner    TEXT,
    term     INTEGER NOT NULL,
    until    INTEGER,
    last_run INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS store (
    only           INTEGER PRIMARY KEY CHECK (only = 1),
    epoch          INTEGER NOT NULL,
    features       TEXT    NOT NULL, -- a JSON array of names
    schema_version INTEGER NOT NULL
) STRICT;

INSERT OR IGNORE INTO store (only, epoch, features, schema_version) VALUES (1, 1, '["redrives"]', 1);

CREATE TABLE IF NOT EXISTS namespaces (
    name   TEXT PRIMARY KEY,
    limits TEXT,
    paused INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS queues (
    namespace TEXT    NOT NULL,
    name      TEXT    NOT NULL,
    paused    INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (namespace, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS polls (
    namespace TEXT    NOT NULL,
    queue     TEXT    NOT NULL,
    workflow  TEXT    NOT NULL,
    worker    TEXT    NOT NULL,
    seen_at   INTEGER NOT NULL,
    PRIMARY KEY (namespace, queue, workflow, worker)
) STRICT, WITHOUT ROWID;
