-- An owner's events of kinds that need no look elsewhere, the last one perhaps its end. p_token null: single-writer
-- mode. p_late: every kind is legal while parked, too. p_work: how many count against p_room. No row: not so.
-- update heads: waits for the writer in flight, then judges these columns on the row that writer left behind;
-- an end locks its edges by child, in order of `edge`, and never a parent's head

CREATE OR REPLACE FUNCTION event_store.append_v1(
    p_namespace text, p_execution_id text, p_incarnation bigint, p_token bigint, p_grant_hash text,
    p_kinds text[], p_payloads text[], p_positions bigint[], p_kernels boolean[], p_batch_id text, p_digest text,
    p_expected_seq bigint, p_first_position bigint, p_last_position bigint, p_late boolean, p_completes boolean,
    p_work integer, p_room bigint, p_bytes bigint, p_ending text, p_result text, p_result_digest text,
    p_traceparent text DEFAULT NULL
) RETURNS TABLE (first_seq bigint, last_seq bigint, messages boolean, outcomes boolean, cancel_seq bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = event_store, pg_temp AS $$
#variable_conflict use_column
DECLARE
    h heads;
    n integer := cardinality(p_kinds);
BEGIN
    PERFORM check_isolation();
    UPDATE heads SET
        last_seq = last_seq + n,
        last_position = coalesce(p_last_position, last_position),
        log_bytes = log_bytes + p_bytes,
        fruitless_claims = CASE WHEN p_completes THEN 0 ELSE fruitless_claims END,
        not_before = CASE WHEN p_completes OR p_ending IS NOT NULL THEN NULL ELSE not_before END,
        status = CASE WHEN p_ending IS NOT NULL THEN p_ending WHEN status = 'pending' THEN 'running' ELSE status END,
        status_at = CASE WHEN p_ending IS NOT NULL OR status = 'pending' THEN instant() ELSE status_at END,
        owner = CASE WHEN p_ending IS NULL THEN owner END,
        grant_hash = CASE WHEN p_ending IS NULL THEN grant_hash END,
        lease_until = CASE WHEN p_ending IS NULL THEN lease_until END,
        cancel_deadline = CASE WHEN p_ending IS NULL THEN cancel_deadline END,
        unknown_tail = unknown_tail AND p_ending IS NULL,
        ending = p_ending,
        ended_at = CASE WHEN p_ending IS NOT NULL THEN instant() END,
        result_digest = p_result_digest
     WHERE namespace = p_namespace AND execution_id = p_execution_id
       AND (p_incarnation IS NULL OR incarnation = p_incarnation)
       AND CASE WHEN p_token IS NULL THEN single_writer ELSE
               token = p_token AND grant_hash = p_grant_hash AND token >= epoch() << 32 AND lease_until > instant()
           END
       AND (status = 'running' OR p_token IS NULL AND status = 'pending'
            OR status = 'parked' AND p_late AND (p_token IS NULL OR owner IS NULL))
       AND (p_expected_seq IS NULL OR last_seq = p_expected_seq)
       AND (p_first_position IS NULL OR last_position IS NULL AND p_first_position >= 0
            OR p_first_position > last_position AND p_first_position::numeric - last_position <= 2147483648)
       AND last_seq + p_work <= p_room
    RETURNING * INTO h;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    INSERT INTO events (
        head, seq, kind, payload, position, fence, kernel, batch_id, batch_digest, traceparent, recorded_at
    ) SELECT
        h.head, h.last_seq - n + e.number, e.kind, e.payload, e.position, h.token, e.kernel,
        CASE WHEN e.number = 1 THEN p_batch_id END, CASE WHEN e.number = 1 THEN p_digest END,
        p_traceparent, coalesce(h.ended_at, instant())
      FROM unnest(p_kinds, p_payloads, p_positions, p_kernels)
      WITH ORDINALITY AS e (kind, payload, position, kernel, number);
    IF p_ending IS NOT NULL THEN
        PERFORM end_edges(h, p_ending, p_result, h.ended_at, p_traceparent);
    END IF;
    RETURN QUERY SELECT h.last_seq - n + 1, h.last_seq, w.messages, w.outcomes, h.cancel_seq FROM what_waits(h) AS w;
END
$$;

-- A child's outcome onto its edges, addressed by child; whose edges they are is told to the outbox, in the trace of the
-- child's own segment: whoever ended it would drag its parent into theirs.
CREATE OR REPLACE FUNCTION event_store.end_edges(
    h event_store.heads, p_ending text, p_result text, at bigint, p_traceparent text
) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = event_store, pg_temp AS $$
BEGIN
    PERFORM edge FROM edges
     WHERE child_incarnation = h.incarnation AND child_namespace = h.namespace AND child_id = h.execution_id
     ORDER BY edge
       FOR UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    WITH ended AS (
        UPDATE edges SET status = p_ending, outcome = p_result
         WHERE child_incarnation = h.incarnation AND child_namespace = h.namespace AND child_id = h.execution_id
        RETURNING edge, parent_head, parent_incarnation, child_key
    )
    INSERT INTO outbox (head, topic, key, body, traceparent, created_at)
    SELECT h.head, 'loom.child-done.v1', parent.namespace || '/' || parent.execution_id,
           json_build_object(
               'namespace', parent.namespace, 'parent', parent.execution_id,
               'parent_incarnation', ended.parent_incarnation::text, 'child_key', ended.child_key,
               'child', h.execution_id, 'child_incarnation', h.incarnation::text,
               'status', p_ending, 'sequence', h.last_seq
           )::text, coalesce(h.traceparent, p_traceparent), at
      FROM ended JOIN heads AS parent ON parent.head = ended.parent_head
     ORDER BY ended.edge;
END
$$;
