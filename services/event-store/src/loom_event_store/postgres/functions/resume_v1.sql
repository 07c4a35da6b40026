-- Answer a park by a timer that has passed or by an operator; p_wait null re-opens it. No row: not so.
-- select head for update: waits for the writer in flight, then judges these columns on the row that writer left behind

CREATE OR REPLACE FUNCTION event_store.resume_v1(
    p_namespace text, p_execution_id text, p_incarnation bigint, p_park_seq bigint, p_wait text, p_batch_id text,
    p_digest text
) RETURNS TABLE (resumed_seq bigint, token bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = event_store, pg_temp AS $$
#variable_conflict use_column
DECLARE
    before heads;
    h heads;
    whose text := 'operator';
    payload text;
BEGIN
    PERFORM check_isolation();
    SELECT * INTO before FROM heads
     WHERE namespace = p_namespace AND execution_id = p_execution_id
       AND (p_incarnation IS NULL OR incarnation = p_incarnation)
       AND status = 'parked' AND park_seq = p_park_seq AND NOT unknown_tail
       AND (p_wait IS NULL OR EXISTS (
           SELECT 1 FROM jsonb_array_elements(waits) AS w
            WHERE w->>'id' = p_wait AND (w ? 'operator' OR (w->'timer'->>'wake_at')::bigint <= instant())
       ))
       FOR UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF p_wait IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM jsonb_array_elements(before.waits) AS w WHERE w->>'id' = p_wait AND w ? 'operator'
    ) THEN
        whose := 'resume';
    END IF;
    payload := '{"wait":' || coalesce(to_json(p_wait)::text, 'null') || ',"keys":null,"by":"' || whose || '"}';
    UPDATE heads SET
        token = CASE WHEN single_writer THEN token ELSE next_token(token) END,
        grant_hash = NULL, owner = NULL, lease_until = NULL, status = 'running', park_seq = NULL, waits = NULL,
        wake_at = NULL, fruitless_claims = 0, not_before = NULL, last_seq = last_seq + 1,
        log_bytes = log_bytes + octet_length(payload), status_at = instant()
     WHERE head = before.head
    RETURNING * INTO h;
    INSERT INTO events (
        head, seq, kind, payload, fence, kernel, answers_park, batch_id, batch_digest, recorded_at
    ) VALUES (
        h.head, h.last_seq, 'EXECUTION_RESUMED', payload, h.token, true, p_park_seq, p_batch_id, p_digest, h.status_at
    );
    PERFORM hint_runnable(h, whose, h.status_at);
    RETURN QUERY SELECT h.last_seq, h.token;
END
$$;
