-- Each generation that a person began, and why: written by its owner alone, never changed.
CREATE TABLE event_store.restores (
    epoch  bigint PRIMARY KEY,
    reason text   NOT NULL,
    actor  text   NOT NULL,
    at     bigint NOT NULL
);
