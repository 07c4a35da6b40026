-- Who is in the fleet: a row a process, written by its heartbeats.
CREATE TABLE event_store.nodes (
    instance text COLLATE "C" PRIMARY KEY,
    role     text   NOT NULL,
    version  text   NOT NULL,
    features text[] NOT NULL, -- those it knows
    seen_at  bigint NOT NULL
);
