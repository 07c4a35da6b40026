-- What was applied here, of every service's schema. Under the lock of `migrate`.
CREATE SCHEMA IF NOT EXISTS loom;

CREATE TABLE IF NOT EXISTS loom.migrations (
    schema     text    NOT NULL,
    number     integer NOT NULL,
    name       text    NOT NULL,
    checksum   text    NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (schema, number)
);
