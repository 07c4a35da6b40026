-- A message into the inbox, or into the park that waits for it. p_sender_*: null, or a credential judged first, in the
-- same transaction. No row: not so. A repeated message_id breaks on the inbox's key, and the caller looks it up.
-- select heads for update, receiver and sender in order of `head`: waits for the writers in flight; then looks, in
-- statements of their own, at what it locked: a chain that continued meanwhile has another link under the id

CREATE OR REPLACE FUNCTION event_store.send_v1(
    p_namespace text, p_execution_id text, p_chain bigint, p_message_id text, p_name text, p_key text, p_payload text,
    p_sender_namespace text, p_sender_id text, p_sender_incarnation bigint, p_sender_token bigint, p_sender_hash text,
    p_waiting_max bigint, p_traceparent text DEFAULT NULL
) RETURNS TABLE (inbox_seq bigint, resumed boolean)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = event_store, pg_temp AS $$
#variable_conflict use_column
DECLARE
    h heads;
    locked bigint[];
    now bigint;
    next_seq bigint;
    wait text;
    answered bigint;
    consumed text;
    answer text;
BEGIN
    PERFORM check_isolation();
    locked := ARRAY(
        SELECT head FROM heads
         WHERE (namespace, execution_id) IN ((p_namespace, p_execution_id), (p_sender_namespace, p_sender_id))
         ORDER BY head
           FOR UPDATE
    );
    now := instant();
    SELECT * INTO h FROM heads
     WHERE head = ANY (locked) AND namespace = p_namespace AND execution_id = p_execution_id
       AND (p_chain IS NULL OR chain = p_chain)
       AND status IN ('pending', 'running', 'parked');
    IF NOT FOUND OR p_sender_id IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM heads
         WHERE head = ANY (locked) AND namespace = p_sender_namespace AND execution_id = p_sender_id
           AND incarnation = p_sender_incarnation AND token = p_sender_token AND grant_hash = p_sender_hash
           AND token >= epoch() << 32 AND lease_until > now AND status = 'running'
    ) THEN
        RETURN;
    END IF;
    SELECT coalesce(max(i.inbox_seq), 0) + 1 INTO next_seq FROM inbox AS i WHERE i.head = h.head;
    IF h.status = 'parked' AND NOT h.unknown_tail THEN
        SELECT w.form->>'id' INTO wait
          FROM jsonb_array_elements(h.waits) WITH ORDINALITY AS w (form, number)
         WHERE w.form->'message'->>'name' = p_name
           AND (w.form->'message'->>'key' IS NULL OR w.form->'message'->>'key' = p_key)
         ORDER BY w.number LIMIT 1;
    END IF;
    IF wait IS NULL AND p_waiting_max <= (
        SELECT count(*) FROM inbox AS i WHERE i.head = h.head AND i.consumed_at_seq IS NULL
    ) THEN
        RETURN;
    END IF;
    INSERT INTO inbox (
        head, message_id, inbox_seq, name, key, payload, sender, sent_at, resumed, consumed_at_seq,
        consumed_at
    ) VALUES (
        h.head, p_message_id, next_seq, p_name, p_key, p_payload, p_sender_id || '@' || p_sender_incarnation, now,
        wait IS NOT NULL, CASE WHEN wait IS NOT NULL THEN h.last_seq + 1 END,
        CASE WHEN wait IS NOT NULL THEN now END
    );
    IF wait IS NOT NULL THEN
        answered := h.park_seq;
        consumed := '{"message_id":' || to_json(p_message_id)::text || ',"name":' || to_json(p_name)::text || ',"key":'
            || coalesce(to_json(p_key)::text, 'null') || ',"payload":' || p_payload || ',"wait":' || to_json(wait)::text
            || '}';
        answer := '{"wait":' || to_json(wait)::text || ',"keys":null,"by":"send"}';
        UPDATE heads SET
            token = CASE WHEN single_writer THEN token ELSE next_token(token) END,
            grant_hash = NULL, owner = NULL, lease_until = NULL, status = 'running', park_seq = NULL, waits = NULL,
            wake_at = NULL, fruitless_claims = 0, not_before = NULL, last_seq = last_seq + 2,
            log_bytes = log_bytes + octet_length(consumed) + octet_length(answer), status_at = now,
            traceparent = p_traceparent
         WHERE head = h.head
        RETURNING * INTO h;
        INSERT INTO events (head, seq, kind, payload, fence, kernel, answers_park, traceparent, recorded_at) VALUES
            (h.head, h.last_seq - 1, 'MESSAGE_CONSUMED', consumed, h.token, true, NULL, p_traceparent, now),
            (h.head, h.last_seq, 'EXECUTION_RESUMED', answer, h.token, true, answered, p_traceparent, now);
        PERFORM hint_runnable(h, 'send', now, p_traceparent);
    END IF;
    RETURN QUERY SELECT next_seq, wait IS NOT NULL;
END
$$;
