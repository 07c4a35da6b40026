-- Take an open park's token, by compare-and-set on the park and the token seen. No row: not so.
-- update heads: waits for the writer in flight, then judges these columns on the row that writer left behind

CREATE OR REPLACE FUNCTION event_store.acquire_if_parked_v1(
    p_namespace text, p_execution_id text, p_incarnation bigint, p_park_seq bigint, p_token bigint, p_grant_hash text,
    p_owner text, p_ttl_ms bigint
) RETURNS SETOF event_store.heads
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = event_store, pg_temp AS $$
DECLARE
    h heads;
BEGIN
    PERFORM check_isolation();
    UPDATE heads SET
        token = next_token(token), grant_hash = p_grant_hash, owner = p_owner, lease_until = instant() + p_ttl_ms,
        single_writer = false
     WHERE namespace = p_namespace AND execution_id = p_execution_id
       AND (p_incarnation IS NULL OR incarnation = p_incarnation)
       AND status = 'parked' AND park_seq = p_park_seq AND token = p_token AND NOT unknown_tail
    RETURNING * INTO h;
    IF FOUND THEN
        PERFORM record_grant(h, 'acquire-if-parked', h.lease_until - p_ttl_ms);
        RETURN NEXT h;
    END IF;
END
$$;
