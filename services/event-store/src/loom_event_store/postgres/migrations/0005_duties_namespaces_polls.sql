CREATE TABLE event_store.duties (
    name     text COLLATE "C" PRIMARY KEY,
    owner    text,
    term     bigint NOT NULL,
    until    bigint,
    last_run bigint
);

CREATE TABLE event_store.store (
    one      boolean PRIMARY KEY DEFAULT true CHECK (one),
    epoch    bigint  NOT NULL,
    features text[]  NOT NULL
);

-- No feature is on: `migrate` turns them on in an empty database, and in no other.
INSERT INTO event_store.store (epoch, features) VALUES (1, '{}');

CREATE TABLE event_store.namespaces (
    name   text COLLATE "C" PRIMARY KEY,
    limits text,
    paused boolean NOT NULL DEFAULT false
);

CREATE TABLE event_store.queues (
    namespace text COLLATE "C" NOT NULL,
    name      text COLLATE "C" NOT NULL,
    paused    boolean NOT NULL DEFAULT false,
    PRIMARY KEY (namespace, name)
);

CREATE TABLE event_store.polls (
    namespace text COLLATE "C" NOT NULL,
    queue     text COLLATE "C" NOT NULL,
    workflow  text COLLATE "C" NOT NULL,
    worker    text COLLATE "C" NOT NULL,
    seen_at   bigint NOT NULL,
    PRIMARY KEY (namespace, queue, workflow, worker)
);
