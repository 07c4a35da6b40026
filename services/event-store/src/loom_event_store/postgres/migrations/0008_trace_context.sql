-- The trace context of the segment that runs now, as its STARTED or RESUMED has it.
ALTER TABLE event_store.heads ADD COLUMN traceparent text;

-- Calls are told where they stand in a trace: one parameter more, which a program of before leaves out. What they were
-- goes, else a call that leaves it out would find two.
DROP FUNCTION IF EXISTS
    event_store.append_v1, event_store.park_v1, event_store.release_v1, event_store.resume_v1, event_store.send_v1,
    event_store.start_v1, event_store.end_edges, event_store.hint_runnable, event_store.hint_parked;
