-- A new lease for an owner or an acquirer; a parker cannot stretch its own. No row: not so.
-- update heads: waits for the writer in flight, then judges these columns on the row that writer left behind

CREATE OR REPLACE FUNCTION event_store.renew_v1(
    p_namespace text, p_execution_id text, p_incarnation bigint, p_token bigint, p_grant_hash text, p_ttl_ms bigint
) RETURNS TABLE (lease_until bigint, messages boolean, outcomes boolean, cancel_seq bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = event_store, pg_temp AS $$
#variable_conflict use_column
DECLARE
    h heads;
BEGIN
    PERFORM check_isolation();
    UPDATE heads SET lease_until = instant() + p_ttl_ms
     WHERE namespace = p_namespace AND execution_id = p_execution_id
       AND incarnation = p_incarnation AND token = p_token AND grant_hash = p_grant_hash
       AND token >= epoch() << 32 AND lease_until > instant()
       AND (status = 'running' OR status = 'parked' AND owner IS NOT NULL)
    RETURNING * INTO h;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    RETURN QUERY SELECT h.lease_until, w.messages, w.outcomes, h.cancel_seq FROM what_waits(h) AS w;
END
$$;
