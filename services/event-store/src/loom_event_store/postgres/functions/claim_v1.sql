-- Claim or take over, by compare-and-set on the incarnation and the token seen. p_fruitless: so many claims in a row
-- that came to nothing are one too many; p_base_ms, p_cap_ms: the back-off from the second on. No row: not so.
-- update heads: waits for the writer in flight, then judges these columns on the row that writer left behind

CREATE OR REPLACE FUNCTION event_store.claim_v1(
    p_namespace text, p_execution_id text, p_incarnation bigint, p_token bigint, p_grant_hash text, p_owner text,
    p_ttl_ms bigint, p_fruitless integer, p_base_ms bigint, p_cap_ms bigint
) RETURNS SETOF event_store.heads
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = event_store, pg_temp AS $$
DECLARE
    h heads;
BEGIN
    PERFORM check_isolation();
    UPDATE heads SET
        token = next_token(token), grant_hash = p_grant_hash, owner = p_owner, lease_until = instant() + p_ttl_ms,
        single_writer = false, status = 'running',
        status_at = CASE WHEN status = 'running' THEN status_at ELSE instant() END,
        fruitless_claims = fruitless_claims + 1,
        not_before = CASE WHEN fruitless_claims >= 1
                          THEN instant() + least(p_cap_ms, p_base_ms << (fruitless_claims - 1)) END
     WHERE namespace = p_namespace AND execution_id = p_execution_id
       AND (p_incarnation IS NULL OR incarnation = p_incarnation)
       AND token = p_token AND status IN ('pending', 'running') AND NOT unknown_tail
       AND (grant_hash IS NULL OR lease_until IS NULL OR lease_until <= instant() OR token < epoch() << 32)
       AND (not_before IS NULL OR not_before <= instant())
       AND fruitless_claims < p_fruitless
    RETURNING * INTO h;
    IF FOUND THEN
        PERFORM record_grant(h, 'claim', h.lease_until - p_ttl_ms);
        RETURN NEXT h;
    END IF;
END
$$;
