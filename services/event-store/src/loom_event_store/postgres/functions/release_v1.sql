-- Give the lease back: owner, grant and lease cleared, the token kept; an owner's claim no longer counts. No row: not so.
-- update heads: waits for the writer in flight, then judges these columns on the row that writer left behind

CREATE OR REPLACE FUNCTION event_store.release_v1(
    p_namespace text, p_execution_id text, p_incarnation bigint, p_token bigint, p_grant_hash text, p_delay_ms bigint,
    p_traceparent text DEFAULT NULL
) RETURNS TABLE (token bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = event_store, pg_temp AS $$
#variable_conflict use_column
DECLARE
    h heads;
BEGIN
    PERFORM check_isolation();
    UPDATE heads SET
        owner = NULL, grant_hash = NULL, lease_until = NULL,
        fruitless_claims = CASE WHEN status = 'running' THEN greatest(0, fruitless_claims - 1) ELSE fruitless_claims END,
        not_before = CASE WHEN status = 'running' THEN instant() + p_delay_ms ELSE not_before END
     WHERE namespace = p_namespace AND execution_id = p_execution_id
       AND incarnation = p_incarnation AND token = p_token AND grant_hash = p_grant_hash
       AND token >= epoch() << 32 AND lease_until > instant()
    RETURNING * INTO h;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF h.status = 'running' THEN
        PERFORM hint_runnable(h, 'released', instant(), p_traceparent);
    END IF;
    RETURN QUERY SELECT h.token;
END
$$;
