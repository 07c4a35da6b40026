-- Park where nothing is there already. p_waits: each wait's JSON, p_delays: the milliseconds of those that are counted
-- from here, p_keys: the children named, p_names and p_message_keys: the messages waited for. No row: not
-- so, or there is something to take up; the caller decides under the lock.
-- select head for update: waits for the writer in flight, then judges these columns on the row that writer left behind;
-- then looks at edges and inbox in a statement of its own

CREATE OR REPLACE FUNCTION event_store.park_v1(
    p_namespace text, p_execution_id text, p_incarnation bigint, p_token bigint, p_grant_hash text,
    p_waits text[], p_delays bigint[], p_kinds text[], p_keys text[], p_names text[], p_message_keys text[],
    p_heard bigint, p_batch_id text, p_digest text, p_room bigint,
    p_traceparent text DEFAULT NULL
) RETURNS TABLE (park_seq bigint, token bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = event_store, pg_temp AS $$
#variable_conflict use_column
DECLARE
    h heads;
    now bigint;
    worded text;
    payload text;
BEGIN
    PERFORM check_isolation();
    SELECT * INTO h FROM heads
     WHERE namespace = p_namespace AND execution_id = p_execution_id
       AND (p_incarnation IS NULL OR incarnation = p_incarnation)
       AND CASE WHEN p_token IS NULL THEN single_writer ELSE
               token = p_token AND grant_hash = p_grant_hash AND token >= epoch() << 32 AND lease_until > instant()
           END
       AND (status = 'running' OR p_token IS NULL AND status = 'pending')
       AND (cancel_seq IS NULL OR cancel_seq = p_heard)
       AND last_seq < p_room
       FOR UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF EXISTS (
        SELECT 1 FROM unnest(p_keys) AS wanted (key)
          LEFT JOIN edges ON parent_head = h.head AND parent_incarnation = h.incarnation AND child_key = wanted.key
         WHERE edge IS NULL OR released
    ) OR EXISTS (
        SELECT 1 FROM unnest(p_names, p_message_keys) AS wanted (name, key)
          JOIN inbox ON inbox.head = h.head AND inbox.name = wanted.name AND inbox.consumed_at_seq IS NULL
         WHERE wanted.key IS NULL OR inbox.key = wanted.key
    ) THEN
        RETURN;
    END IF;
    now := instant();
    SELECT '[' || string_agg(
               CASE WHEN w.delay IS NULL THEN w.worded ELSE replace(
                   w.worded, '"wake_at":null,"delay_ms":' || w.delay, '"wake_at":' || now + w.delay || ',"delay_ms":null'
               ) END, ',' ORDER BY w.number
           ) || ']'
      INTO worded FROM unnest(p_waits, p_delays) WITH ORDINALITY AS w (worded, delay, number);
    payload := '{"waits":' || worded || ',"heard":' || coalesce(p_heard::text, 'null') || '}';
    UPDATE heads SET
        last_seq = last_seq + 1, status = 'parked', park_seq = last_seq + 1, waits = worded::jsonb,
        wake_at = (SELECT min((w->'timer'->>'wake_at')::bigint) FROM jsonb_array_elements(worded::jsonb) AS w),
        unknown_tail = false, owner = NULL, fruitless_claims = 0, not_before = NULL,
        log_bytes = log_bytes + octet_length(payload), status_at = now
     WHERE head = h.head
    RETURNING * INTO h;
    INSERT INTO events (head, seq, kind, payload, fence, kernel, batch_id, batch_digest, traceparent, recorded_at)
    VALUES (
        h.head, h.park_seq, 'EXECUTION_SUSPENDED', payload, h.token, true, p_batch_id, p_digest, p_traceparent, now
    );
    PERFORM hint_parked(h, p_kinds, now, p_traceparent);
    RETURN QUERY SELECT h.park_seq, h.token;
END
$$;
