-- A hint that the bus refused for good, so many times over: it is kept to be looked at, and read no more.
ALTER TABLE outbox ADD COLUMN dead_at INTEGER;
