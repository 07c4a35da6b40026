-- The rows of a kernel's Change, in their order. writes: [{"write": name, ...}], each as `writes.py` words it; at: now.
-- The caller holds FOR UPDATE on every head and edge that is there already, since before it looked at anything.

CREATE OR REPLACE FUNCTION event_store.apply_change_v1(writes jsonb, at bigint) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = event_store, pg_temp AS $$
DECLARE
    item jsonb;
    new_row jsonb;
BEGIN
    PERFORM check_isolation();
    FOR item IN SELECT value FROM jsonb_array_elements(writes) LOOP
        new_row := item->'row';
        CASE item->>'write'
        WHEN 'head' THEN
            INSERT INTO heads SELECT * FROM jsonb_populate_record(NULL::heads, new_row)
            ON CONFLICT (head) DO UPDATE SET (
                namespace, execution_id, incarnation, chain, link, single_writer, token, grant_hash, owner, lease_until,
                status, last_seq, last_position, park_seq, waits, wake_at, unknown_tail, workflow, code_version, queue,
                not_before, deadline_at, parent_head, parent_incarnation, parent_key, root, cancel_requested_at,
                cancel_seq, cancel_deadline, fruitless_claims, archived_seq, log_bytes, created_at, status_at, ended_at,
                ending, result_digest, traceparent
            ) = (
                excluded.namespace, excluded.execution_id, excluded.incarnation, excluded.chain, excluded.link,
                excluded.single_writer, excluded.token, excluded.grant_hash, excluded.owner, excluded.lease_until,
                excluded.status, excluded.last_seq, excluded.last_position, excluded.park_seq, excluded.waits,
                excluded.wake_at, excluded.unknown_tail, excluded.workflow, excluded.code_version, excluded.queue,
                excluded.not_before, excluded.deadline_at, excluded.parent_head, excluded.parent_incarnation,
                excluded.parent_key, excluded.root, excluded.cancel_requested_at, excluded.cancel_seq,
                excluded.cancel_deadline, excluded.fruitless_claims, excluded.archived_seq, excluded.log_bytes,
                excluded.created_at, excluded.status_at, excluded.ended_at, excluded.ending, excluded.result_digest,
                excluded.traceparent
            );
        WHEN 'events' THEN
            INSERT INTO events SELECT * FROM jsonb_populate_recordset(NULL::events, item->'rows');
        WHEN 'edge' THEN
            INSERT INTO edges (
                parent_head, parent_incarnation, child_key, child_namespace, child_id, child_incarnation, status,
                outcome, close, scope, released, consumed_at_seq
            ) SELECT
                heads.head, given.parent_incarnation, given.child_key, given.child_namespace, given.child_id,
                given.child_incarnation, given.status, given.outcome, given.close, given.scope, given.released,
                given.consumed_at_seq
              FROM jsonb_populate_record(NULL::edges, new_row) AS given
              JOIN heads ON heads.incarnation = given.parent_incarnation
            ON CONFLICT (parent_head, parent_incarnation, child_key) DO UPDATE SET (
                child_namespace, child_id, child_incarnation, status, outcome, close, scope, released, consumed_at_seq
            ) = (
                excluded.child_namespace, excluded.child_id, excluded.child_incarnation, excluded.status,
                excluded.outcome, excluded.close, excluded.scope, excluded.released, excluded.consumed_at_seq
            );
        WHEN 'move_edge' THEN -- in place: the row keeps its surrogate, by which its child's end finds and locks it
            UPDATE edges SET (parent_head, parent_incarnation) = (
                SELECT head, incarnation FROM heads WHERE incarnation = (new_row->>'to')::bigint
            )
             WHERE child_key = new_row->>'child_key' AND parent_incarnation = (new_row->>'parent_incarnation')::bigint
               AND parent_head = (
                SELECT head FROM heads WHERE incarnation = (new_row->>'parent_incarnation')::bigint
             );
        WHEN 'move_messages' THEN -- what waits, and what was consumed since; the rest stays with the log that has it
            UPDATE inbox SET head = (new_row->>'to')::bigint
             WHERE head = (new_row->>'head')::bigint
               AND (consumed_at_seq IS NULL OR consumed_at >= (new_row->>'consumed_since')::bigint);
        WHEN 'message' THEN
            INSERT INTO inbox SELECT * FROM jsonb_populate_record(NULL::inbox, new_row)
            ON CONFLICT (head, message_id) DO UPDATE SET (resumed, consumed_at_seq, consumed_at)
                = (excluded.resumed, excluded.consumed_at_seq, excluded.consumed_at);
        WHEN 'hint' THEN
            INSERT INTO outbox (head, topic, key, body, traceparent, created_at)
            SELECT head, topic, key, body, traceparent, created_at FROM jsonb_populate_record(NULL::outbox, new_row);
        WHEN 'grant' THEN
            INSERT INTO grants SELECT * FROM jsonb_populate_record(NULL::grants, new_row);
            DELETE FROM grants
             WHERE head = (new_row->>'head')::bigint AND token <= (
                SELECT token FROM grants WHERE head = (new_row->>'head')::bigint
                 ORDER BY token DESC LIMIT 1 OFFSET (item->>'kept')::integer
             );
        WHEN 'pin' THEN
            INSERT INTO pins SELECT * FROM jsonb_populate_record(NULL::pins, new_row)
            ON CONFLICT (head, owner) DO UPDATE SET (reason, expiry) = (excluded.reason, excluded.expiry);
        WHEN 'remove_pin' THEN
            DELETE FROM pins WHERE head = (new_row->>'head')::bigint AND owner = new_row->>'owner';
        WHEN 'remove_rows' THEN
            DELETE FROM events WHERE head = (new_row->>'head')::bigint;
            DELETE FROM metas WHERE head = (new_row->>'head')::bigint;
            DELETE FROM blobs WHERE head = (new_row->>'head')::bigint;
            DELETE FROM inbox WHERE head = (new_row->>'head')::bigint;
            DELETE FROM grants WHERE head = (new_row->>'head')::bigint;
            DELETE FROM refusals WHERE head = (new_row->>'head')::bigint;
            DELETE FROM pins WHERE head = (new_row->>'head')::bigint;
            DELETE FROM edges WHERE parent_head = (new_row->>'head')::bigint
               AND parent_incarnation = (new_row->>'parent_incarnation')::bigint;
        WHEN 'duty' THEN
            INSERT INTO duties SELECT * FROM jsonb_populate_record(NULL::duties, new_row)
            ON CONFLICT (name) DO UPDATE SET (owner, term, until, last_run)
                = (excluded.owner, excluded.term, excluded.until, excluded.last_run);
        WHEN 'node' THEN
            INSERT INTO nodes SELECT * FROM jsonb_populate_record(NULL::nodes, new_row)
            ON CONFLICT (instance) DO UPDATE SET (role, version, features, seen_at)
                = (excluded.role, excluded.version, excluded.features, excluded.seen_at);
        WHEN 'forget_nodes' THEN -- one that others have at hand is left for the next time
            DELETE FROM nodes WHERE instance IN (
                SELECT instance FROM nodes WHERE seen_at < (new_row->>'since')::bigint FOR UPDATE SKIP LOCKED
            );
        WHEN 'features' THEN
            UPDATE store SET features = ARRAY(SELECT jsonb_array_elements_text(new_row->'features'));
        END CASE;
    END LOOP;
END
$$;
