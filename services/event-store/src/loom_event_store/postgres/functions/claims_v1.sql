-- Claim up to p_max runnable executions of the workflows named, oldest first; those that somebody else is at are passed
-- over. One that was claimed in vain too often comes back as it is: the caller blocks it under its lock.
-- update heads: locks what it takes, waits for nobody

CREATE OR REPLACE FUNCTION event_store.claims_v1(
    p_namespace text, p_queue text, p_workflows text[], p_max integer, p_grant_hash text, p_owner text, p_ttl_ms bigint,
    p_fruitless integer, p_base_ms bigint, p_cap_ms bigint
) RETURNS SETOF event_store.heads
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = event_store, pg_temp AS $$
DECLARE
    h heads;
    now bigint;
    least_token bigint;
BEGIN
    PERFORM check_isolation();
    now := instant();
    least_token := epoch() << 32;
    FOR h IN
        SELECT * FROM heads
         WHERE namespace = p_namespace AND queue = p_queue AND status IN ('pending', 'running')
           AND NOT single_writer AND NOT unknown_tail
           AND (grant_hash IS NULL OR lease_until IS NULL OR lease_until <= now OR token < least_token)
           AND (not_before IS NULL OR not_before <= now)
           AND workflow || '@' || code_version = ANY (p_workflows)
         ORDER BY status_at, head LIMIT p_max
           FOR UPDATE SKIP LOCKED
    LOOP
        IF h.fruitless_claims < p_fruitless THEN
            UPDATE heads SET
                token = next_token(token), grant_hash = p_grant_hash, owner = p_owner, lease_until = now + p_ttl_ms,
                status = 'running', status_at = CASE WHEN status = 'running' THEN status_at ELSE now END,
                fruitless_claims = fruitless_claims + 1,
                not_before = CASE WHEN fruitless_claims >= 1
                                  THEN now + least(p_cap_ms, p_base_ms << (fruitless_claims - 1)) END
             WHERE head = h.head
            RETURNING * INTO h;
            PERFORM record_grant(h, 'claim', now);
        END IF;
        RETURN NEXT h;
    END LOOP;
END
$$;
