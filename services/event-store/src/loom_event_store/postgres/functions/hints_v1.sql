-- What the outbox is told, worded as the kernel's hints are, in the trace of the call.

-- An execution is runnable; nobody claims what is in single-writer mode.
CREATE OR REPLACE FUNCTION event_store.hint_runnable(
    h event_store.heads, reason text, at bigint, p_traceparent text
) RETURNS void
LANGUAGE sql VOLATILE AS $$
    INSERT INTO event_store.outbox (head, topic, key, body, traceparent, created_at)
    SELECT h.head, 'loom.notify-resume.v1', h.namespace || '/' || h.execution_id,
           json_build_object(
               'namespace', h.namespace, 'execution', h.execution_id, 'incarnation', h.incarnation::text,
               'queue', h.queue, 'workflow', h.workflow, 'reason', reason, 'sequence', h.last_seq
           )::text, p_traceparent, at
     WHERE h.queue IS NOT NULL AND NOT h.single_writer
$$;

-- An execution parked.
CREATE OR REPLACE FUNCTION event_store.hint_parked(
    h event_store.heads, wait_kinds text[], at bigint, p_traceparent text
) RETURNS void
LANGUAGE sql VOLATILE AS $$
    INSERT INTO event_store.outbox (head, topic, key, body, traceparent, created_at)
    SELECT h.head, 'loom.execution-parked.v1', h.namespace || '/' || h.execution_id,
           json_build_object(
               'namespace', h.namespace, 'execution', h.execution_id, 'incarnation', h.incarnation::text,
               'park_seq', h.park_seq, 'wait_kinds', wait_kinds
           )::text, p_traceparent, at
$$;

-- A bump that appends no event; of a living execution the newest thousand are kept.
CREATE OR REPLACE FUNCTION event_store.record_grant(h event_store.heads, rule text, at bigint) RETURNS void
LANGUAGE sql VOLATILE AS $$
    INSERT INTO event_store.grants (head, token, rule, owner, at) VALUES (h.head, h.token, rule, h.owner, at);
    DELETE FROM event_store.grants
     WHERE head = h.head AND token <= (
        SELECT token FROM event_store.grants WHERE head = h.head ORDER BY token DESC LIMIT 1 OFFSET 1000
     );
$$;

-- What waits for a busy owner: messages, ended children. Under the head's lock, in a statement of its own.
CREATE OR REPLACE FUNCTION event_store.what_waits(h event_store.heads, OUT messages boolean, OUT outcomes boolean)
LANGUAGE sql VOLATILE AS $$
    SELECT EXISTS (SELECT 1 FROM event_store.inbox WHERE head = h.head AND consumed_at_seq IS NULL),
           EXISTS (
               SELECT 1 FROM event_store.edges
                WHERE parent_head = h.head AND parent_incarnation = h.incarnation
                  AND status <> 'open' AND consumed_at_seq IS NULL AND NOT released
           )
$$;
