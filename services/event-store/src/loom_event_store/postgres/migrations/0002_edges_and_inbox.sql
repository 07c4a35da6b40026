CREATE TABLE event_store.edges (
    edge               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    parent_head        bigint  NOT NULL,
    parent_incarnation bigint  NOT NULL,
    child_key          text COLLATE "C" NOT NULL,
    child_namespace    text COLLATE "C" NOT NULL,
    child_id           text COLLATE "C" NOT NULL,
    child_incarnation  bigint  NOT NULL,
    status             text COLLATE "C" NOT NULL,
    outcome            text,
    close              text    NOT NULL,
    scope              text    NOT NULL,
    released           boolean NOT NULL,
    consumed_at_seq    bigint,
    UNIQUE (parent_head, parent_incarnation, child_key),
    CHECK (status IN ('open', 'completed', 'failed', 'cancelled', 'removed'))
);

CREATE INDEX edges_by_child ON event_store.edges (child_incarnation, child_namespace, child_id, edge);
CREATE INDEX edges_in_order ON event_store.edges (parent_head, parent_incarnation, edge);
CREATE INDEX edges_open ON event_store.edges (parent_head, parent_incarnation) WHERE status = 'open';
CREATE INDEX edges_ended ON event_store.edges (parent_head, parent_incarnation)
    WHERE status <> 'open' AND consumed_at_seq IS NULL AND NOT released;
-- list_due of close policies: what is still to be ended if its parent has
CREATE INDEX edges_closing ON event_store.edges (parent_head, child_incarnation)
    WHERE status = 'open' AND close <> 'abandon';

CREATE TABLE event_store.inbox (
    head            bigint  NOT NULL,
    message_id      text COLLATE "C" NOT NULL,
    inbox_seq       bigint  NOT NULL,
    name            text COLLATE "C" NOT NULL,
    key             text COLLATE "C",
    payload         text    NOT NULL,
    sender          text,
    sent_at         bigint  NOT NULL,
    resumed         boolean NOT NULL,
    consumed_at_seq bigint, -- in the log of the link that consumed it, which an earlier one may be
    consumed_at     bigint,
    PRIMARY KEY (head, message_id)
);

CREATE UNIQUE INDEX inbox_in_order ON event_store.inbox (head, inbox_seq);
CREATE INDEX inbox_waiting ON event_store.inbox (head, name, inbox_seq) WHERE consumed_at_seq IS NULL;
