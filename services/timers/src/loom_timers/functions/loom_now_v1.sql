-- The instant of the statement. A row that a wait for a lock made late is late by that wait: time is never a safety
-- condition here, and an index on times can be used.

CREATE OR REPLACE FUNCTION timers.loom_now() RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint
$$;
