-- Answer a park: by a timer that has passed, by children whose ends p_keys names, by an operator; p_wait null re-opens
-- it. p_token and p_grant_hash: null, or an acquirer's, who bumps no second time. No row: not so.
-- select head for update: waits for the writer in flight, then judges these columns on the row that writer left behind;
-- then the members' edges in order of `edge`, and looks at them in a statement after that

CREATE OR REPLACE FUNCTION event_store.resume_v1(
    p_namespace text, p_execution_id text, p_incarnation bigint, p_park_seq bigint, p_wait text, p_keys text[],
    p_token bigint, p_grant_hash text, p_batch_id text, p_digest text, p_traceparent text DEFAULT NULL
) RETURNS TABLE (resumed_seq bigint, token bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = event_store, pg_temp AS $$
#variable_conflict use_column
DECLARE
    h heads;
    now bigint;
    wait jsonb;
    members text[];
    n integer := cardinality(p_keys);
    whose text := CASE WHEN p_token IS NULL THEN 'operator' ELSE 'resume' END;
    answer text;
    fence bigint;
BEGIN
    PERFORM check_isolation();
    SELECT * INTO h FROM heads
     WHERE namespace = p_namespace AND execution_id = p_execution_id
       AND (p_incarnation IS NULL OR incarnation = p_incarnation)
       AND status = 'parked' AND park_seq = p_park_seq AND NOT unknown_tail
       AND (p_token IS NULL OR token = p_token AND grant_hash = p_grant_hash AND token >= epoch() << 32
            AND lease_until > instant() AND owner IS NOT NULL)
       FOR UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    now := instant();
    IF p_wait IS NOT NULL THEN
        wait := (SELECT w FROM jsonb_array_elements(h.waits) AS w WHERE w->>'id' = p_wait);
        IF wait IS NULL OR wait ? 'message' OR (wait->'timer'->>'wake_at')::bigint > now THEN
            RETURN;
        END IF;
        IF NOT wait ? 'operator' THEN
            whose := 'resume';
        END IF;
        IF wait ? 'child' THEN
            members := ARRAY[wait->'child'->>'key'];
        ELSIF wait ? 'group' THEN
            members := ARRAY(SELECT jsonb_array_elements_text(wait->'group'->'members'));
        END IF;
    END IF;
    IF members IS NULL AND n > 0 THEN
        RETURN;
    END IF;
    IF members IS NOT NULL THEN
        PERFORM edge FROM edges
         WHERE parent_head = h.head AND parent_incarnation = h.incarnation AND child_key = ANY (members)
         ORDER BY edge
           FOR UPDATE;
        IF NOT is_met(h, wait, members, p_keys) THEN
            RETURN;
        END IF;
    END IF;
    answer := '{"wait":' || coalesce(to_json(p_wait)::text, 'null') || ',"keys":'
        || CASE WHEN n > 0 THEN (
               SELECT '[' || string_agg(to_json(key)::text, ',' ORDER BY number) || ']'
                 FROM unnest(p_keys) WITH ORDINALITY AS k (key, number)
           ) ELSE 'null' END || ',"by":"' || whose || '"}';
    fence := CASE WHEN p_token IS NOT NULL OR h.single_writer THEN h.token ELSE next_token(h.token) END;
    INSERT INTO events (head, seq, kind, payload, fence, kernel, batch_id, batch_digest, traceparent, recorded_at)
    SELECT h.head, h.last_seq + k.number, 'CHILD_OUTCOME',
           '{"key":' || to_json(k.key)::text || ',"child":{"namespace":' || to_json(e.child_namespace)::text
               || ',"execution_id":' || to_json(e.child_id)::text || ',"incarnation":"' || e.child_incarnation
               || '"},"status":"' || e.status || '","outcome":' || coalesce(e.outcome, 'null')
               || ',"wait":' || to_json(p_wait)::text || '}',
           fence, true, CASE WHEN k.number = 1 THEN p_batch_id END, CASE WHEN k.number = 1 THEN p_digest END,
           p_traceparent, now
      FROM unnest(p_keys) WITH ORDINALITY AS k (key, number)
      JOIN edges AS e ON e.parent_head = h.head AND e.parent_incarnation = h.incarnation AND e.child_key = k.key;
    INSERT INTO events (
        head, seq, kind, payload, fence, kernel, answers_park, batch_id, batch_digest, traceparent, recorded_at
    ) VALUES (
        h.head, h.last_seq + n + 1, 'EXECUTION_RESUMED', answer, fence, true, p_park_seq,
        CASE WHEN n = 0 THEN p_batch_id END, CASE WHEN n = 0 THEN p_digest END, p_traceparent, now
    );
    UPDATE edges SET consumed_at_seq = h.last_seq + array_position(p_keys, child_key)
     WHERE parent_head = h.head AND parent_incarnation = h.incarnation AND child_key = ANY (p_keys);
    IF wait ? 'group' AND NOT (wait->'group'->>'keep')::boolean THEN
        UPDATE edges SET released = true
         WHERE parent_head = h.head AND parent_incarnation = h.incarnation AND child_key = ANY (members)
           AND consumed_at_seq IS NULL AND NOT released;
    END IF;
    UPDATE heads SET
        token = fence, grant_hash = NULL, owner = NULL, lease_until = NULL, status = 'running', park_seq = NULL,
        waits = NULL, wake_at = NULL, fruitless_claims = 0, not_before = NULL, last_seq = last_seq + n + 1,
        status_at = now, traceparent = p_traceparent,
        log_bytes = log_bytes + (
            SELECT sum(octet_length(payload)) FROM events WHERE head = h.head AND seq > h.last_seq
        )
     WHERE head = h.head
    RETURNING * INTO h;
    PERFORM hint_runnable(h, whose, now, p_traceparent);
    RETURN QUERY SELECT h.last_seq, h.token;
END
$$;

-- Have the children named each ended, unconsumed, and do they meet the rule of the wait? Under the locks of the edges.
CREATE OR REPLACE FUNCTION event_store.is_met(h event_store.heads, wait jsonb, members text[], p_keys text[])
RETURNS boolean
LANGUAGE plpgsql VOLATILE SET search_path = event_store, pg_temp AS $$
DECLARE
    size integer := cardinality(members);
    fit integer;
    ended integer;
    completed integer;
    needed integer;
BEGIN
    SELECT count(*) FILTER (WHERE child_key = ANY (p_keys) AND status <> 'open' AND consumed_at_seq IS NULL),
           count(*), count(*) FILTER (WHERE status = 'completed')
      INTO fit, ended, completed
      FROM edges
     WHERE parent_head = h.head AND parent_incarnation = h.incarnation AND child_key = ANY (members)
       AND (child_key = ANY (p_keys) OR consumed_at_seq IS NOT NULL);
    IF fit < cardinality(p_keys) THEN
        RETURN false;
    END IF;
    IF wait ? 'child' THEN
        RETURN ended = 1;
    END IF;
    IF wait->'group'->>'policy' = 'all' THEN
        RETURN ended = size OR wait->'group'->>'on_error' = 'raise' AND completed < ended;
    END IF;
    needed := CASE WHEN wait->'group'->>'policy' = 'any' THEN 1 ELSE (wait->'group'->>'policy')::integer END;
    RETURN completed >= needed OR completed + size - ended < needed;
END
$$;
