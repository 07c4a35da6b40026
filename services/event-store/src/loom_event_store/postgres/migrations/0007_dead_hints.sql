-- A hint that the bus refused for good, so many times over: it is kept to be looked at, and read no more.
ALTER TABLE event_store.outbox ADD COLUMN dead_at bigint;

-- Every row lives for milliseconds: the dead ones of the heap and the index are swept by their number, not by a share.
ALTER TABLE event_store.outbox SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
