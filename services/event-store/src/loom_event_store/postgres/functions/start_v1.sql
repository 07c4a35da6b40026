-- Start under an id that nobody has. No row: somebody has it, or had; the caller decides under the lock.
-- insert heads: waits for whoever inserts this very id

CREATE OR REPLACE FUNCTION event_store.start_v1(
    p_namespace text, p_execution_id text, p_incarnation bigint, p_workflow text, p_code_version text, p_queue text,
    p_payload text, p_delay_ms bigint, p_timeout_ms bigint, p_batch_id text, p_digest text,
    p_traceparent text DEFAULT NULL
) RETURNS SETOF event_store.heads
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = event_store, pg_temp AS $$
DECLARE
    h heads;
    now bigint;
BEGIN
    PERFORM check_isolation();
    now := instant();
    INSERT INTO heads (
        namespace, execution_id, incarnation, chain, link, single_writer, token, status, last_seq, unknown_tail,
        workflow, code_version, queue, not_before, deadline_at, root, fruitless_claims, log_bytes, created_at,
        status_at, traceparent
    ) VALUES (
        p_namespace, p_execution_id, p_incarnation, p_incarnation, 1, p_queue IS NULL, 0, 'pending', 1, false,
        p_workflow, p_code_version, p_queue, now + p_delay_ms, now + p_timeout_ms, p_incarnation, 0,
        octet_length(p_payload), now, now, p_traceparent
    )
    ON CONFLICT (namespace, execution_id) DO NOTHING
    RETURNING * INTO h;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    INSERT INTO events (head, seq, kind, payload, fence, kernel, batch_id, batch_digest, traceparent, recorded_at)
    VALUES (h.head, 1, 'EXECUTION_STARTED', p_payload, 0, true, p_batch_id, p_digest, p_traceparent, now);
    PERFORM hint_runnable(h, 'started', now, p_traceparent);
    RETURN NEXT h;
END
$$;
