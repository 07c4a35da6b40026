SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE SCHEMA event_store;
CREATE SCHEMA loom;
CREATE SCHEMA retention;
CREATE SCHEMA timers;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE event_store.heads (
    head bigint NOT NULL,
    namespace text NOT NULL COLLATE pg_catalog."C",
    execution_id text NOT NULL COLLATE pg_catalog."C",
    incarnation bigint NOT NULL,
    chain bigint NOT NULL,
    link integer NOT NULL,
    single_writer boolean NOT NULL,
    token bigint NOT NULL,
    grant_hash text COLLATE pg_catalog."C",
    owner text,
    lease_until bigint,
    status text NOT NULL COLLATE pg_catalog."C",
    last_seq bigint NOT NULL,
    last_position bigint,
    park_seq bigint,
    waits jsonb,
    wake_at bigint,
    unknown_tail boolean NOT NULL,
    workflow text NOT NULL COLLATE pg_catalog."C",
    code_version text NOT NULL COLLATE pg_catalog."C",
    queue text COLLATE pg_catalog."C",
    not_before bigint,
    deadline_at bigint,
    parent_head bigint,
    parent_incarnation bigint,
    parent_key text COLLATE pg_catalog."C",
    root bigint NOT NULL,
    cancel_requested_at bigint,
    cancel_seq bigint,
    cancel_deadline bigint,
    fruitless_claims integer NOT NULL,
    archived_seq bigint,
    log_bytes bigint NOT NULL,
    created_at bigint NOT NULL,
    status_at bigint NOT NULL,
    ended_at bigint,
    ending text COLLATE pg_catalog."C",
    result_digest text COLLATE pg_catalog."C",
    CONSTRAINT heads_check CHECK ((park_seq <= last_seq)),
    CONSTRAINT heads_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'running'::text, 'parked'::text, 'completed'::text, 'failed'::text, 'cancelled'::text, 'continued'::text, 'deleted'::text])))
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0.02', autovacuum_analyze_scale_factor='0.02');
CREATE FUNCTION event_store.acquire_if_parked_v1(p_namespace text, p_execution_id text, p_incarnation bigint, p_park_seq bigint, p_token bigint, p_grant_hash text, p_owner text, p_ttl_ms bigint) RETURNS SETOF event_store.heads
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'event_store', 'pg_temp'
    AS $$
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
CREATE FUNCTION event_store.append_v1(p_namespace text, p_execution_id text, p_incarnation bigint, p_token bigint, p_grant_hash text, p_kinds text[], p_payloads text[], p_positions bigint[], p_kernels boolean[], p_batch_id text, p_digest text, p_expected_seq bigint, p_first_position bigint, p_last_position bigint, p_late boolean, p_completes boolean, p_work integer, p_room bigint, p_bytes bigint, p_ending text, p_result text, p_result_digest text) RETURNS TABLE(first_seq bigint, last_seq bigint, messages boolean, outcomes boolean, cancel_seq bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'event_store', 'pg_temp'
    AS $$
#variable_conflict use_column
DECLARE
    h heads;
    n integer := cardinality(p_kinds);
BEGIN
    PERFORM check_isolation();
    UPDATE heads SET
        last_seq = last_seq + n,
        last_position = coalesce(p_last_position, last_position),
        log_bytes = log_bytes + p_bytes,
        fruitless_claims = CASE WHEN p_completes THEN 0 ELSE fruitless_claims END,
        not_before = CASE WHEN p_completes OR p_ending IS NOT NULL THEN NULL ELSE not_before END,
        status = CASE WHEN p_ending IS NOT NULL THEN p_ending WHEN status = 'pending' THEN 'running' ELSE status END,
        status_at = CASE WHEN p_ending IS NOT NULL OR status = 'pending' THEN instant() ELSE status_at END,
        owner = CASE WHEN p_ending IS NULL THEN owner END,
        grant_hash = CASE WHEN p_ending IS NULL THEN grant_hash END,
        lease_until = CASE WHEN p_ending IS NULL THEN lease_until END,
        cancel_deadline = CASE WHEN p_ending IS NULL THEN cancel_deadline END,
        unknown_tail = unknown_tail AND p_ending IS NULL,
        ending = p_ending,
        ended_at = CASE WHEN p_ending IS NOT NULL THEN instant() END,
        result_digest = p_result_digest
     WHERE namespace = p_namespace AND execution_id = p_execution_id
       AND (p_incarnation IS NULL OR incarnation = p_incarnation)
       AND CASE WHEN p_token IS NULL THEN single_writer ELSE
               token = p_token AND grant_hash = p_grant_hash AND token >= epoch() << 32 AND lease_until > instant()
           END
       AND (status = 'running' OR p_token IS NULL AND status = 'pending'
            OR status = 'parked' AND p_late AND (p_token IS NULL OR owner IS NULL))
       AND (p_expected_seq IS NULL OR last_seq = p_expected_seq)
       AND (p_first_position IS NULL OR last_position IS NULL AND p_first_position >= 0
            OR p_first_position > last_position AND p_first_position::numeric - last_position <= 2147483648)
       AND last_seq + p_work <= p_room
    RETURNING * INTO h;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    INSERT INTO events (
        head, seq, kind, payload, position, fence, kernel, batch_id, batch_digest, recorded_at
    ) SELECT
        h.head, h.last_seq - n + e.number, e.kind, e.payload, e.position, h.token, e.kernel,
        CASE WHEN e.number = 1 THEN p_batch_id END, CASE WHEN e.number = 1 THEN p_digest END,
        coalesce(h.ended_at, instant())
      FROM unnest(p_kinds, p_payloads, p_positions, p_kernels)
      WITH ORDINALITY AS e (kind, payload, position, kernel, number);
    IF p_ending IS NOT NULL THEN
        PERFORM end_edges(h, p_ending, p_result, h.ended_at);
    END IF;
    RETURN QUERY SELECT h.last_seq - n + 1, h.last_seq, w.messages, w.outcomes, h.cancel_seq FROM what_waits(h) AS w;
END
$$;
CREATE FUNCTION event_store.apply_change_v1(writes jsonb, at bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'event_store', 'pg_temp'
    AS $$
DECLARE
    item jsonb;
    new_row jsonb;
BEGIN
    PERFORM check_isolation();
    FOR item IN SELECT value FROM jsonb_array_elements(writes) LOOP
        new_row := item->'row';
        CASE item->>'write'
        WHEN 'head' THEN
            INSERT INTO heads SELECT * FROM jsonb_populate_record(NULL::heads, new_row)
            ON CONFLICT (head) DO UPDATE SET (
                namespace, execution_id, incarnation, chain, link, single_writer, token, grant_hash, owner, lease_until,
                status, last_seq, last_position, park_seq, waits, wake_at, unknown_tail, workflow, code_version, queue,
                not_before, deadline_at, parent_head, parent_incarnation, parent_key, root, cancel_requested_at,
                cancel_seq, cancel_deadline, fruitless_claims, archived_seq, log_bytes, created_at, status_at, ended_at,
                ending, result_digest
            ) = (
                excluded.namespace, excluded.execution_id, excluded.incarnation, excluded.chain, excluded.link,
                excluded.single_writer, excluded.token, excluded.grant_hash, excluded.owner, excluded.lease_until,
                excluded.status, excluded.last_seq, excluded.last_position, excluded.park_seq, excluded.waits,
                excluded.wake_at, excluded.unknown_tail, excluded.workflow, excluded.code_version, excluded.queue,
                excluded.not_before, excluded.deadline_at, excluded.parent_head, excluded.parent_incarnation,
                excluded.parent_key, excluded.root, excluded.cancel_requested_at, excluded.cancel_seq,
                excluded.cancel_deadline, excluded.fruitless_claims, excluded.archived_seq, excluded.log_bytes,
                excluded.created_at, excluded.status_at, excluded.ended_at, excluded.ending, excluded.result_digest
            );
        WHEN 'events' THEN
            INSERT INTO events SELECT * FROM jsonb_populate_recordset(NULL::events, item->'rows');
        WHEN 'edge' THEN
            INSERT INTO edges (
                parent_head, parent_incarnation, child_key, child_namespace, child_id, child_incarnation, status,
                outcome, close, scope, released, consumed_at_seq
            ) SELECT
                heads.head, given.parent_incarnation, given.child_key, given.child_namespace, given.child_id,
                given.child_incarnation, given.status, given.outcome, given.close, given.scope, given.released,
                given.consumed_at_seq
              FROM jsonb_populate_record(NULL::edges, new_row) AS given
              JOIN heads ON heads.incarnation = given.parent_incarnation
            ON CONFLICT (parent_head, parent_incarnation, child_key) DO UPDATE SET (
                child_namespace, child_id, child_incarnation, status, outcome, close, scope, released, consumed_at_seq
            ) = (
                excluded.child_namespace, excluded.child_id, excluded.child_incarnation, excluded.status,
                excluded.outcome, excluded.close, excluded.scope, excluded.released, excluded.consumed_at_seq
            );
        WHEN 'move_edge' THEN -- in place: the row keeps its surrogate, by which its child's end finds and locks it
            UPDATE edges SET (parent_head, parent_incarnation) = (
                SELECT head, incarnation FROM heads WHERE incarnation = (new_row->>'to')::bigint
            )
             WHERE child_key = new_row->>'child_key' AND parent_incarnation = (new_row->>'parent_incarnation')::bigint
               AND parent_head = (
                SELECT head FROM heads WHERE incarnation = (new_row->>'parent_incarnation')::bigint
             );
        WHEN 'move_messages' THEN -- what waits, and what was consumed since; the rest stays with the log that has it
            UPDATE inbox SET head = (new_row->>'to')::bigint
             WHERE head = (new_row->>'head')::bigint
               AND (consumed_at_seq IS NULL OR consumed_at >= (new_row->>'consumed_since')::bigint);
        WHEN 'message' THEN
            INSERT INTO inbox SELECT * FROM jsonb_populate_record(NULL::inbox, new_row)
            ON CONFLICT (head, message_id) DO UPDATE SET (resumed, consumed_at_seq, consumed_at)
                = (excluded.resumed, excluded.consumed_at_seq, excluded.consumed_at);
        WHEN 'hint' THEN
            INSERT INTO outbox (head, topic, key, body, traceparent, created_at)
            SELECT head, topic, key, body, traceparent, created_at FROM jsonb_populate_record(NULL::outbox, new_row);
        WHEN 'grant' THEN
            INSERT INTO grants SELECT * FROM jsonb_populate_record(NULL::grants, new_row);
            DELETE FROM grants
             WHERE head = (new_row->>'head')::bigint AND token <= (
                SELECT token FROM grants WHERE head = (new_row->>'head')::bigint
                 ORDER BY token DESC LIMIT 1 OFFSET (item->>'kept')::integer
             );
        WHEN 'pin' THEN
            INSERT INTO pins SELECT * FROM jsonb_populate_record(NULL::pins, new_row)
            ON CONFLICT (head, owner) DO UPDATE SET (reason, expiry) = (excluded.reason, excluded.expiry);
        WHEN 'remove_pin' THEN
            DELETE FROM pins WHERE head = (new_row->>'head')::bigint AND owner = new_row->>'owner';
        WHEN 'remove_rows' THEN
            DELETE FROM events WHERE head = (new_row->>'head')::bigint;
            DELETE FROM metas WHERE head = (new_row->>'head')::bigint;
            DELETE FROM blobs WHERE head = (new_row->>'head')::bigint;
            DELETE FROM inbox WHERE head = (new_row->>'head')::bigint;
            DELETE FROM grants WHERE head = (new_row->>'head')::bigint;
            DELETE FROM refusals WHERE head = (new_row->>'head')::bigint;
            DELETE FROM pins WHERE head = (new_row->>'head')::bigint;
            DELETE FROM edges WHERE parent_head = (new_row->>'head')::bigint
               AND parent_incarnation = (new_row->>'parent_incarnation')::bigint;
        WHEN 'duty' THEN
            INSERT INTO duties SELECT * FROM jsonb_populate_record(NULL::duties, new_row)
            ON CONFLICT (name) DO UPDATE SET (owner, term, until, last_run)
                = (excluded.owner, excluded.term, excluded.until, excluded.last_run);
        END CASE;
    END LOOP;
END
$$;
CREATE FUNCTION event_store.check_isolation() RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'the transaction is %', current_setting('transaction_isolation') USING ERRCODE = 'LM001';
    END IF;
END
$$;
CREATE FUNCTION event_store.claim_v1(p_namespace text, p_execution_id text, p_incarnation bigint, p_token bigint, p_grant_hash text, p_owner text, p_ttl_ms bigint, p_fruitless integer, p_base_ms bigint, p_cap_ms bigint) RETURNS SETOF event_store.heads
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'event_store', 'pg_temp'
    AS $$
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
CREATE FUNCTION event_store.claims_v1(p_namespace text, p_queue text, p_workflows text[], p_max integer, p_grant_hash text, p_owner text, p_ttl_ms bigint, p_fruitless integer, p_base_ms bigint, p_cap_ms bigint) RETURNS SETOF event_store.heads
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'event_store', 'pg_temp'
    AS $$
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
CREATE FUNCTION event_store.end_edges(h event_store.heads, p_ending text, p_result text, at bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'event_store', 'pg_temp'
    AS $$
BEGIN
    PERFORM edge FROM edges
     WHERE child_incarnation = h.incarnation AND child_namespace = h.namespace AND child_id = h.execution_id
     ORDER BY edge
       FOR UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    WITH ended AS (
        UPDATE edges SET status = p_ending, outcome = p_result
         WHERE child_incarnation = h.incarnation AND child_namespace = h.namespace AND child_id = h.execution_id
        RETURNING edge, parent_head, parent_incarnation, child_key
    )
    INSERT INTO outbox (head, topic, key, body, created_at)
    SELECT h.head, 'loom.child-done.v1', parent.namespace || '/' || parent.execution_id,
           json_build_object(
               'namespace', parent.namespace, 'parent', parent.execution_id,
               'parent_incarnation', ended.parent_incarnation::text, 'child_key', ended.child_key,
               'child', h.execution_id, 'child_incarnation', h.incarnation::text,
               'status', p_ending, 'sequence', h.last_seq
           )::text, at
      FROM ended JOIN heads AS parent ON parent.head = ended.parent_head
     ORDER BY ended.edge;
END
$$;
CREATE FUNCTION event_store.epoch() RETURNS bigint
    LANGUAGE sql
    AS $$
    SELECT greatest(epoch, ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint)
      FROM event_store.store
$$;
CREATE FUNCTION event_store.hint_parked(h event_store.heads, wait_kinds text[], at bigint) RETURNS void
    LANGUAGE sql
    AS $$
    INSERT INTO event_store.outbox (head, topic, key, body, created_at)
    SELECT h.head, 'loom.execution-parked.v1', h.namespace || '/' || h.execution_id,
           json_build_object(
               'namespace', h.namespace, 'execution', h.execution_id, 'incarnation', h.incarnation::text,
               'park_seq', h.park_seq, 'wait_kinds', wait_kinds
           )::text, at
$$;
CREATE FUNCTION event_store.hint_runnable(h event_store.heads, reason text, at bigint) RETURNS void
    LANGUAGE sql
    AS $$
    INSERT INTO event_store.outbox (head, topic, key, body, created_at)
    SELECT h.head, 'loom.notify-resume.v1', h.namespace || '/' || h.execution_id,
           json_build_object(
               'namespace', h.namespace, 'execution', h.execution_id, 'incarnation', h.incarnation::text,
               'queue', h.queue, 'workflow', h.workflow, 'reason', reason, 'sequence', h.last_seq
           )::text, at
     WHERE h.queue IS NOT NULL AND NOT h.single_writer
$$;
CREATE FUNCTION event_store.instant() RETURNS bigint
    LANGUAGE sql PARALLEL SAFE
    AS $$
    SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint -- never now(): that is when the transaction began
$$;
CREATE FUNCTION event_store.is_met(h event_store.heads, wait jsonb, members text[], p_keys text[]) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'event_store', 'pg_temp'
    AS $$
DECLARE
    size integer := cardinality(members);
    fit integer;
    ended integer;
    completed integer;
    needed integer;
BEGIN
    SELECT count(*) FILTER (WHERE child_key = ANY (p_keys) AND status <> 'open' AND consumed_at_seq IS NULL),
           count(*), count(*) FILTER (WHERE status = 'completed')
      INTO fit, ended, completed
      FROM edges
     WHERE parent_head = h.head AND parent_incarnation = h.incarnation AND child_key = ANY (members)
       AND (child_key = ANY (p_keys) OR consumed_at_seq IS NOT NULL);
    IF fit < cardinality(p_keys) THEN
        RETURN false;
    END IF;
    IF wait ? 'child' THEN
        RETURN ended = 1;
    END IF;
    IF wait->'group'->>'policy' = 'all' THEN
        RETURN ended = size OR wait->'group'->>'on_error' = 'raise' AND completed < ended;
    END IF;
    needed := CASE WHEN wait->'group'->>'policy' = 'any' THEN 1 ELSE (wait->'group'->>'policy')::integer END;
    RETURN completed >= needed OR completed + size - ended < needed;
END
$$;
CREATE FUNCTION event_store.next_token(token bigint) RETURNS bigint
    LANGUAGE sql
    AS $$
    SELECT (greatest(event_store.epoch(), token >> 32) << 32) | ((token & 4294967295) + 1)
$$;
CREATE FUNCTION event_store.park_v1(p_namespace text, p_execution_id text, p_incarnation bigint, p_token bigint, p_grant_hash text, p_waits text[], p_delays bigint[], p_kinds text[], p_keys text[], p_names text[], p_message_keys text[], p_heard bigint, p_batch_id text, p_digest text, p_room bigint) RETURNS TABLE(park_seq bigint, token bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'event_store', 'pg_temp'
    AS $$
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
    INSERT INTO events (head, seq, kind, payload, fence, kernel, batch_id, batch_digest, recorded_at)
    VALUES (h.head, h.park_seq, 'EXECUTION_SUSPENDED', payload, h.token, true, p_batch_id, p_digest, now);
    PERFORM hint_parked(h, p_kinds, now);
    RETURN QUERY SELECT h.park_seq, h.token;
END
$$;
CREATE FUNCTION event_store.record_grant(h event_store.heads, rule text, at bigint) RETURNS void
    LANGUAGE sql
    AS $$
    INSERT INTO event_store.grants (head, token, rule, owner, at) VALUES (h.head, h.token, rule, h.owner, at);
    DELETE FROM event_store.grants
     WHERE head = h.head AND token <= (
        SELECT token FROM event_store.grants WHERE head = h.head ORDER BY token DESC LIMIT 1 OFFSET 1000
     );
$$;
CREATE FUNCTION event_store.release_v1(p_namespace text, p_execution_id text, p_incarnation bigint, p_token bigint, p_grant_hash text, p_delay_ms bigint) RETURNS TABLE(token bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'event_store', 'pg_temp'
    AS $$
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
        PERFORM hint_runnable(h, 'released', instant());
    END IF;
    RETURN QUERY SELECT h.token;
END
$$;
CREATE FUNCTION event_store.renew_v1(p_namespace text, p_execution_id text, p_incarnation bigint, p_token bigint, p_grant_hash text, p_ttl_ms bigint) RETURNS TABLE(lease_until bigint, messages boolean, outcomes boolean, cancel_seq bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'event_store', 'pg_temp'
    AS $$
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
CREATE FUNCTION event_store.resume_v1(p_namespace text, p_execution_id text, p_incarnation bigint, p_park_seq bigint, p_wait text, p_keys text[], p_token bigint, p_grant_hash text, p_batch_id text, p_digest text) RETURNS TABLE(resumed_seq bigint, token bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'event_store', 'pg_temp'
    AS $$
#variable_conflict use_column
DECLARE
    h heads;
    now bigint;
    wait jsonb;
    members text[];
    n integer := cardinality(p_keys);
    whose text := CASE WHEN p_token IS NULL THEN 'operator' ELSE 'resume' END;
    answer text;
    fence bigint;
BEGIN
    PERFORM check_isolation();
    SELECT * INTO h FROM heads
     WHERE namespace = p_namespace AND execution_id = p_execution_id
       AND (p_incarnation IS NULL OR incarnation = p_incarnation)
       AND status = 'parked' AND park_seq = p_park_seq AND NOT unknown_tail
       AND (p_token IS NULL OR token = p_token AND grant_hash = p_grant_hash AND token >= epoch() << 32
            AND lease_until > instant() AND owner IS NOT NULL)
       FOR UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    now := instant();
    IF p_wait IS NOT NULL THEN
        wait := (SELECT w FROM jsonb_array_elements(h.waits) AS w WHERE w->>'id' = p_wait);
        IF wait IS NULL OR wait ? 'message' OR (wait->'timer'->>'wake_at')::bigint > now THEN
            RETURN;
        END IF;
        IF NOT wait ? 'operator' THEN
            whose := 'resume';
        END IF;
        IF wait ? 'child' THEN
            members := ARRAY[wait->'child'->>'key'];
        ELSIF wait ? 'group' THEN
            members := ARRAY(SELECT jsonb_array_elements_text(wait->'group'->'members'));
        END IF;
    END IF;
    IF members IS NULL AND n > 0 THEN
        RETURN;
    END IF;
    IF members IS NOT NULL THEN
        PERFORM edge FROM edges
         WHERE parent_head = h.head AND parent_incarnation = h.incarnation AND child_key = ANY (members)
         ORDER BY edge
           FOR UPDATE;
        IF NOT is_met(h, wait, members, p_keys) THEN
            RETURN;
        END IF;
    END IF;
    answer := '{"wait":' || coalesce(to_json(p_wait)::text, 'null') || ',"keys":'
        || CASE WHEN n > 0 THEN (
               SELECT '[' || string_agg(to_json(key)::text, ',' ORDER BY number) || ']'
                 FROM unnest(p_keys) WITH ORDINALITY AS k (key, number)
           ) ELSE 'null' END || ',"by":"' || whose || '"}';
    fence := CASE WHEN p_token IS NOT NULL OR h.single_writer THEN h.token ELSE next_token(h.token) END;
    INSERT INTO events (head, seq, kind, payload, fence, kernel, batch_id, batch_digest, recorded_at)
    SELECT h.head, h.last_seq + k.number, 'CHILD_OUTCOME',
           '{"key":' || to_json(k.key)::text || ',"child":{"namespace":' || to_json(e.child_namespace)::text
               || ',"execution_id":' || to_json(e.child_id)::text || ',"incarnation":"' || e.child_incarnation
               || '"},"status":"' || e.status || '","outcome":' || coalesce(e.outcome, 'null')
               || ',"wait":' || to_json(p_wait)::text || '}',
           fence, true, CASE WHEN k.number = 1 THEN p_batch_id END, CASE WHEN k.number = 1 THEN p_digest END, now
      FROM unnest(p_keys) WITH ORDINALITY AS k (key, number)
      JOIN edges AS e ON e.parent_head = h.head AND e.parent_incarnation = h.incarnation AND e.child_key = k.key;
    INSERT INTO events (
        head, seq, kind, payload, fence, kernel, answers_park, batch_id, batch_digest, recorded_at
    ) VALUES (
        h.head, h.last_seq + n + 1, 'EXECUTION_RESUMED', answer, fence, true, p_park_seq,
        CASE WHEN n = 0 THEN p_batch_id END, CASE WHEN n = 0 THEN p_digest END, now
    );
    UPDATE edges SET consumed_at_seq = h.last_seq + array_position(p_keys, child_key)
     WHERE parent_head = h.head AND parent_incarnation = h.incarnation AND child_key = ANY (p_keys);
    IF wait ? 'group' AND NOT (wait->'group'->>'keep')::boolean THEN
        UPDATE edges SET released = true
         WHERE parent_head = h.head AND parent_incarnation = h.incarnation AND child_key = ANY (members)
           AND consumed_at_seq IS NULL AND NOT released;
    END IF;
    UPDATE heads SET
        token = fence, grant_hash = NULL, owner = NULL, lease_until = NULL, status = 'running', park_seq = NULL,
        waits = NULL, wake_at = NULL, fruitless_claims = 0, not_before = NULL, last_seq = last_seq + n + 1,
        status_at = now,
        log_bytes = log_bytes + (
            SELECT sum(octet_length(payload)) FROM events WHERE head = h.head AND seq > h.last_seq
        )
     WHERE head = h.head
    RETURNING * INTO h;
    PERFORM hint_runnable(h, whose, now);
    RETURN QUERY SELECT h.last_seq, h.token;
END
$$;
CREATE FUNCTION event_store.send_v1(p_namespace text, p_execution_id text, p_chain bigint, p_message_id text, p_name text, p_key text, p_payload text, p_sender_namespace text, p_sender_id text, p_sender_incarnation bigint, p_sender_token bigint, p_sender_hash text, p_waiting_max bigint) RETURNS TABLE(inbox_seq bigint, resumed boolean)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'event_store', 'pg_temp'
    AS $$
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
            log_bytes = log_bytes + octet_length(consumed) + octet_length(answer), status_at = now
         WHERE head = h.head
        RETURNING * INTO h;
        INSERT INTO events (head, seq, kind, payload, fence, kernel, answers_park, recorded_at) VALUES
            (h.head, h.last_seq - 1, 'MESSAGE_CONSUMED', consumed, h.token, true, NULL, now),
            (h.head, h.last_seq, 'EXECUTION_RESUMED', answer, h.token, true, answered, now);
        PERFORM hint_runnable(h, 'send', now);
    END IF;
    RETURN QUERY SELECT next_seq, wait IS NOT NULL;
END
$$;
CREATE FUNCTION event_store.start_v1(p_namespace text, p_execution_id text, p_incarnation bigint, p_workflow text, p_code_version text, p_queue text, p_payload text, p_delay_ms bigint, p_timeout_ms bigint, p_batch_id text, p_digest text) RETURNS SETOF event_store.heads
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'event_store', 'pg_temp'
    AS $$
DECLARE
    h heads;
    now bigint;
BEGIN
    PERFORM check_isolation();
    now := instant();
    INSERT INTO heads (
        namespace, execution_id, incarnation, chain, link, single_writer, token, status, last_seq, unknown_tail,
        workflow, code_version, queue, not_before, deadline_at, root, fruitless_claims, log_bytes, created_at, status_at
    ) VALUES (
        p_namespace, p_execution_id, p_incarnation, p_incarnation, 1, p_queue IS NULL, 0, 'pending', 1, false,
        p_workflow, p_code_version, p_queue, now + p_delay_ms, now + p_timeout_ms, p_incarnation, 0,
        octet_length(p_payload), now, now
    )
    ON CONFLICT (namespace, execution_id) DO NOTHING
    RETURNING * INTO h;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    INSERT INTO events (head, seq, kind, payload, fence, kernel, batch_id, batch_digest, recorded_at)
    VALUES (h.head, 1, 'EXECUTION_STARTED', p_payload, 0, true, p_batch_id, p_digest, now);
    PERFORM hint_runnable(h, 'started', now);
    RETURN NEXT h;
END
$$;
CREATE FUNCTION event_store.what_waits(h event_store.heads, OUT messages boolean, OUT outcomes boolean) RETURNS record
    LANGUAGE sql
    AS $$
    SELECT EXISTS (SELECT 1 FROM event_store.inbox WHERE head = h.head AND consumed_at_seq IS NULL),
           EXISTS (
               SELECT 1 FROM event_store.edges
                WHERE parent_head = h.head AND parent_incarnation = h.incarnation
                  AND status <> 'open' AND consumed_at_seq IS NULL AND NOT released
           )
$$;
CREATE FUNCTION timers.loom_now() RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
    SELECT floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint
$$;
CREATE TABLE event_store.blobs (
    head bigint NOT NULL,
    ref text NOT NULL COLLATE pg_catalog."C",
    bytes bytea NOT NULL
);
CREATE TABLE event_store.duties (
    name text NOT NULL COLLATE pg_catalog."C",
    owner text,
    term bigint NOT NULL,
    until bigint,
    last_run bigint
);
CREATE TABLE event_store.edges (
    edge bigint NOT NULL,
    parent_head bigint NOT NULL,
    parent_incarnation bigint NOT NULL,
    child_key text NOT NULL COLLATE pg_catalog."C",
    child_namespace text NOT NULL COLLATE pg_catalog."C",
    child_id text NOT NULL COLLATE pg_catalog."C",
    child_incarnation bigint NOT NULL,
    status text NOT NULL COLLATE pg_catalog."C",
    outcome text,
    close text NOT NULL,
    scope text NOT NULL,
    released boolean NOT NULL,
    consumed_at_seq bigint,
    CONSTRAINT edges_status_check CHECK ((status = ANY (ARRAY['open'::text, 'completed'::text, 'failed'::text, 'cancelled'::text, 'removed'::text])))
);
ALTER TABLE event_store.edges ALTER COLUMN edge ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME event_store.edges_edge_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE event_store.events (
    head bigint NOT NULL,
    seq bigint NOT NULL,
    kind text NOT NULL,
    payload text NOT NULL,
    "position" bigint,
    fence bigint NOT NULL,
    kernel boolean NOT NULL,
    actor text,
    answers_park bigint,
    batch_id text COLLATE pg_catalog."C",
    batch_digest text COLLATE pg_catalog."C",
    traceparent text,
    recorded_at bigint NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.05');
CREATE TABLE event_store.grants (
    head bigint NOT NULL,
    token bigint NOT NULL,
    rule text NOT NULL,
    owner text,
    at bigint NOT NULL
);
ALTER TABLE event_store.heads ALTER COLUMN head ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME event_store.heads_head_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE event_store.inbox (
    head bigint NOT NULL,
    message_id text NOT NULL COLLATE pg_catalog."C",
    inbox_seq bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    key text COLLATE pg_catalog."C",
    payload text NOT NULL,
    sender text,
    sent_at bigint NOT NULL,
    resumed boolean NOT NULL,
    consumed_at_seq bigint,
    consumed_at bigint
);
CREATE TABLE event_store.metas (
    head bigint NOT NULL,
    bytes bytea NOT NULL,
    version integer NOT NULL,
    name text,
    tags text
);
CREATE TABLE event_store.namespaces (
    name text NOT NULL COLLATE pg_catalog."C",
    limits text,
    paused boolean DEFAULT false NOT NULL
);
CREATE TABLE event_store.outbox (
    id bigint NOT NULL,
    head bigint NOT NULL,
    topic text NOT NULL,
    key text NOT NULL,
    body text NOT NULL,
    traceparent text,
    created_at bigint NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    dead_at bigint
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='2000');
ALTER TABLE event_store.outbox ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME event_store.outbox_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE event_store.pins (
    head bigint NOT NULL,
    owner text NOT NULL COLLATE pg_catalog."C",
    reason text NOT NULL,
    expiry bigint
);
CREATE TABLE event_store.polls (
    namespace text NOT NULL COLLATE pg_catalog."C",
    queue text NOT NULL COLLATE pg_catalog."C",
    workflow text NOT NULL COLLATE pg_catalog."C",
    worker text NOT NULL COLLATE pg_catalog."C",
    seen_at bigint NOT NULL
);
CREATE TABLE event_store.queues (
    namespace text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    paused boolean DEFAULT false NOT NULL
);
CREATE TABLE event_store.refusals (
    refusal bigint NOT NULL,
    head bigint NOT NULL,
    token bigint NOT NULL,
    surface text NOT NULL COLLATE pg_catalog."C",
    code text NOT NULL,
    current_token bigint NOT NULL,
    count bigint NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint NOT NULL
);
ALTER TABLE event_store.refusals ALTER COLUMN refusal ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME event_store.refusals_refusal_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE event_store.restores (
    epoch bigint NOT NULL,
    reason text NOT NULL,
    actor text NOT NULL,
    at bigint NOT NULL
);
CREATE TABLE event_store.store (
    one boolean DEFAULT true NOT NULL,
    epoch bigint NOT NULL,
    features text[] NOT NULL,
    CONSTRAINT store_one_check CHECK (one)
);
CREATE TABLE loom.migrations (
    schema text NOT NULL,
    number integer NOT NULL,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE TABLE retention.archives (
    incarnation bigint NOT NULL,
    namespace text NOT NULL,
    execution_id text NOT NULL,
    last_seq bigint NOT NULL,
    archived_at bigint NOT NULL,
    manifest text NOT NULL
);
CREATE TABLE retention.policies (
    namespace text NOT NULL,
    keep text NOT NULL
);
CREATE TABLE retention.sweeps (
    started_at bigint NOT NULL,
    dry_run boolean NOT NULL,
    report text NOT NULL
);
CREATE TABLE timers.timers (
    namespace text NOT NULL,
    execution_id text NOT NULL,
    incarnation bigint NOT NULL,
    park_seq bigint NOT NULL,
    wait_id text NOT NULL,
    kind text NOT NULL,
    wake_at bigint NOT NULL,
    attempt integer DEFAULT 0 NOT NULL,
    claim text,
    claimed_until bigint DEFAULT 0 NOT NULL
);
INSERT INTO event_store.blobs VALUES
	(1, 'r', '\x32');
INSERT INTO event_store.duties VALUES
	('dumped', 'somebody', 1, 1795997754793, NULL);
INSERT INTO event_store.edges OVERRIDING SYSTEM VALUE VALUES
	(2, 3, 2635888919160322156, 'open', 'conformance', 'dump-7cdc0416bbd9~c4jvrqxx536tfkni6nysu5j2f4a', 1090001774210485517, 'open', NULL, 'cancel', 'chain', false, NULL),
	(1, 3, 2635888919160322156, 'done', 'conformance', 'dump-7cdc0416bbd9~clo7ofdj5f6pyvxhccfj6adcfle', 1908051153294140820, 'completed', '{"paid":3}', 'cancel', 'chain', false, NULL),
	(3, 15, 1170426745856741767, 'kept', 'conformance', 'dump-955610a02be8~carig3ayhycxecwrjuzc7fweuvm', 8807960259084801793, 'open', NULL, 'cancel', 'chain', false, NULL);
INSERT INTO event_store.events VALUES
	(1, 1, 'EXECUTION_STARTED', '{"workflow":"conformance","code_version":"0","queue":"queue-2a79704b6a51","input":null,"parent":null,"cancel":false}', NULL, 0, true, NULL, NULL, 'key-b4b6e1aed8ad', '36e2c6c18c33f74b68c3ad91a11eea4fd6d1fa612e0d0babca004f32ca337296', NULL, 1795997753328),
	(2, 1, 'EXECUTION_STARTED', '{"workflow":"conformance","code_version":"0","queue":null,"input":null,"parent":null,"cancel":false}', NULL, 0, true, NULL, NULL, 'key-cb70950e6dcf', '8f2d42a3ccef55bea28d4e332d9f6d2ab69bfa4d61b08ba74ed377430dfa93e1', NULL, 1795997753331),
	(3, 1, 'EXECUTION_STARTED', '{"workflow":"conformance","code_version":"0","queue":"queue-2a79704b6a51","input":null,"parent":null,"cancel":false}', NULL, 0, true, NULL, NULL, 'key-0796942e9901', 'c18910d1abece8963d1739f6988664758518654aaa01ec5d94295af6464cea99', NULL, 1795997753339),
	(4, 1, 'EXECUTION_STARTED', '{"workflow":"conformance","code_version":"0","queue":"queue-2a79704b6a51","input":null,"parent":{"namespace":"conformance","execution_id":"dump-7cdc0416bbd9","incarnation":"2635888919160322156","key":"done"},"cancel":false}', NULL, 0, true, NULL, NULL, NULL, NULL, NULL, 1795997753397),
	(3, 2, 'CHILD_STARTED', '{"key":"done","child":{"namespace":"conformance","execution_id":"dump-7cdc0416bbd9~clo7ofdj5f6pyvxhccfj6adcfle","incarnation":"1908051153294140820"},"workflow":"conformance","attached":false}', NULL, 4294967297, true, NULL, NULL, 'key-ca6cafc22aef', 'b76003433e6b2106e4e8843f1aadffa60290103000599e02a6472d36c882f233', NULL, 1795997753397),
	(5, 1, 'EXECUTION_STARTED', '{"workflow":"conformance","code_version":"0","queue":"queue-2a79704b6a51","input":null,"parent":{"namespace":"conformance","execution_id":"dump-7cdc0416bbd9","incarnation":"2635888919160322156","key":"open"},"cancel":false}', NULL, 0, true, NULL, NULL, NULL, NULL, NULL, 1795997753421),
	(3, 3, 'CHILD_STARTED', '{"key":"open","child":{"namespace":"conformance","execution_id":"dump-7cdc0416bbd9~c4jvrqxx536tfkni6nysu5j2f4a","incarnation":"1090001774210485517"},"workflow":"conformance","attached":false}', NULL, 4294967297, true, NULL, NULL, 'key-2b00a9717d5e', 'c41fe024bda3c2fc6febabbbd339f740e7f457f755aba136c0a9fdb5d280f1e5', NULL, 1795997753421),
	(4, 2, 'EXECUTION_COMPLETED', '{"paid":3}', NULL, 4294967297, true, NULL, NULL, 'key-9ffdd3d38bec', '101cea4dd4c730e86ce5cb1a7646e7d0eba6ab876672633af222f979812803d3', NULL, 1795997753455),
	(3, 4, 'EXECUTION_SUSPENDED', '{"waits":[{"id":"open","child":{"key":"open"}},{"id":"mail","message":{"name":"mail","key":"k"}}],"heard":null}', NULL, 4294967297, true, NULL, NULL, 'key-7b1350cf7f83', '7fc207fb9c57d989702d8d5a63c0e89ad89cea64a5ec8e41b3e68b81d24ba820', NULL, 1795997753471),
	(6, 1, 'EXECUTION_STARTED', '{"workflow":"conformance","code_version":"0","queue":"queue-2a79704b6a51","input":null,"parent":null,"cancel":false}', NULL, 0, true, NULL, NULL, 'key-77e0c7faab20', 'e6f0f7b48ff5a8413195581e4e04e1364e23eaa993047bf4909149a0743246a9', NULL, 1795997753484),
	(6, 2, 'EXECUTION_SUSPENDED', '{"waits":[{"id":"mail","message":{"name":"mail","key":null}}],"heard":null}', NULL, 4294967297, true, NULL, NULL, 'key-3ed096174a06', '8db1bdfa845011dc4c1c3412cb8380c09c42a99cb968d0e4d84918ccf5d60417', NULL, 1795997753522),
	(6, 3, 'MESSAGE_CONSUMED', '{"message_id":"message-029578e3536e","name":"mail","key":null,"payload":{"text":"é\\u0000"},"wait":"mail"}', NULL, 4294967298, true, NULL, NULL, NULL, NULL, NULL, 1795997753535),
	(6, 4, 'EXECUTION_RESUMED', '{"wait":"mail","keys":null,"by":"send"}', NULL, 4294967298, true, NULL, 2, NULL, NULL, NULL, 1795997753535),
	(7, 1, 'EXECUTION_STARTED', '{"workflow":"conformance","code_version":"0","queue":"queue-2a79704b6a51","input":null,"parent":null,"cancel":false}', NULL, 0, true, NULL, NULL, 'key-a6c9e8ebc3c8', '7576bb59ce9984320e3e87af286bb5bc399e2591e92ebd81d1576a9e7536d7e8', NULL, 1795997753541),
	(7, 2, 'EXECUTION_SUSPENDED', '{"waits":[{"id":"timer","timer":{"wake_at":1796001353566,"delay_ms":null}}],"heard":null}', NULL, 4294967297, true, NULL, NULL, 'key-b9415e8615c0', 'eaec6b259289fad8d12102c9d8e72e817c1645aaceb4e01ffeea33718d3c2bd6', NULL, 1795997753566),
	(7, 3, 'EXECUTION_CANCEL_REQUESTED', '{"by":"request","reason":null}', NULL, 4294967297, true, NULL, NULL, NULL, NULL, NULL, 1795997753577),
	(7, 4, 'EXECUTION_RESUMED', '{"wait":null,"keys":null,"by":"cancel"}', NULL, 4294967298, true, NULL, 2, NULL, NULL, NULL, 1795997753577),
	(8, 1, 'EXECUTION_STARTED', '{"workflow":"conformance","code_version":"0","queue":"queue-2a79704b6a51","input":null,"parent":null,"cancel":false}', NULL, 0, true, NULL, NULL, 'key-37f086bdafa0', 'ec865289f7d55dcac92408f03a6b5a21e5e9f3d70e68fb301da259b4abb4f13c', NULL, 1795997753587),
	(8, 2, 'EXECUTION_COMPLETED', 'null', NULL, 4294967297, true, NULL, NULL, 'key-0994868e3e29', 'a10a971f72dbcfaf39130af1aa48afb507e83df24c2e66479229238936636ce8', NULL, 1795997753602),
	(9, 1, 'EXECUTION_STARTED', '{"workflow":"conformance","code_version":"0","queue":"queue-2a79704b6a51","input":null,"parent":null,"cancel":false}', NULL, 0, true, NULL, NULL, 'key-8b961027e5c5', '8d17d135e022874cdfb0f65c6adc0bd9fa603b03448bc4ace98b3b5660862b7e', NULL, 1795997753608),
	(9, 2, 'EXECUTION_FAILED', 'null', NULL, 4294967297, true, NULL, NULL, 'key-8235c0ce2233', '5d7142330d582e5b9e3ab451b0215357ee08958fc436fc287bf6004e024472d6', NULL, 1795997753617),
	(10, 1, 'EXECUTION_STARTED', '{"workflow":"conformance","code_version":"0","queue":"queue-2a79704b6a51","input":null,"parent":null,"cancel":false}', NULL, 0, true, NULL, NULL, 'key-2e8dbb57a563', '045024dbc6c42b3533a2ef21714844103d3c17f9ad5d5f96259c04f1082a21db', NULL, 1795997753626),
	(10, 2, 'EXECUTION_CANCEL_REQUESTED', '{"by":"request","reason":null}', NULL, 4294967297, true, NULL, NULL, NULL, NULL, NULL, 1795997753639),
	(10, 3, 'EXECUTION_CANCELLED', '{"by":"request","reason":null,"detail":null}', NULL, 4294967297, true, NULL, NULL, 'key-e047eb9a304b', 'f65761268f51368358dcf1b41d72d03d6cd4eace9584703523d779f45bd6034d', NULL, 1795997753647),
	(11, 1, 'EXECUTION_STARTED', '{"workflow":"conformance","code_version":"0","queue":"queue-2a79704b6a51","input":null,"parent":null,"cancel":false}', NULL, 0, true, NULL, NULL, 'key-50ad94ebc234', '02a36e844c791b0aa01abe2335611e4e62514cb4078eafe611582072ac231d3c', NULL, 1795997753664),
	(11, 2, 'EXECUTION_COMPLETED', 'null', NULL, 4294967297, true, NULL, NULL, 'key-2da6f95c5cab', '6988cddbe2ac4d9495631b5661b97113cf1e6c8d774d96ba4ec9cbd4c885a9e3', NULL, 1795997753670),
	(13, 1, 'EXECUTION_STARTED', '{"workflow":"conformance","code_version":"0","queue":"queue-2a79704b6a51","input":null,"parent":null,"cancel":false}', NULL, 0, true, NULL, NULL, 'key-aa7ed3aa9846', '13d85a9d37f26ddb9f6f628bbc349505ffb20394171c6a1a8fc8d81cb0d39962', NULL, 1795997753701),
	(14, 1, 'EXECUTION_STARTED', '{"workflow":"conformance","code_version":"0","queue":"queue-2a79704b6a51","input":null,"parent":{"namespace":"conformance","execution_id":"dump-955610a02be8","incarnation":"2105927096639591934","key":"kept"},"cancel":false}', NULL, 0, true, NULL, NULL, NULL, NULL, NULL, 1795997753717),
	(13, 2, 'CHILD_STARTED', '{"key":"kept","child":{"namespace":"conformance","execution_id":"dump-955610a02be8~carig3ayhycxecwrjuzc7fweuvm","incarnation":"8807960259084801793"},"workflow":"conformance","attached":false}', NULL, 4294967297, true, NULL, NULL, 'key-b46680162170', 'efa2e04e999c05ef95b3559dd28c445188a67a2d9bb391269c194e1659649d1d', NULL, 1795997753717),
	(13, 3, 'EXECUTION_CONTINUED', '{"next":{"namespace":"conformance","execution_id":"dump-955610a02be8","incarnation":"1170426745856741767"}}', NULL, 4294967297, true, NULL, NULL, 'key-ba3db8a53f6b', 'ca09484fc67811fe51ca9bc865500ee99b6324acc9c0a782f236730cf63d0993', NULL, 1795997753740),
	(15, 1, 'EXECUTION_STARTED', '{"workflow":"conformance","code_version":"0","queue":"queue-2a79704b6a51","input":null,"parent":null,"cancel":false}', NULL, 4294967297, true, NULL, NULL, NULL, NULL, NULL, 1795997753740),
	(16, 1, 'EXECUTION_STARTED', '{"workflow":"conformance","code_version":"0","queue":"queue-2a79704b6a51","input":null,"parent":null,"cancel":false}', NULL, 0, true, NULL, NULL, 'key-8bca99d07f0c', '5861001e0431d26dbeee99fe3884062959445c9a253ba3892d294d16835d6c9a', NULL, 1795997753752);
INSERT INTO event_store.grants VALUES
	(3, 4294967297, 'claim', 'owner-e8636f825306', 1795997753348),
	(4, 4294967297, 'claim', 'owner-ee6d665b9ea7', 1795997753435),
	(6, 4294967297, 'claim', 'owner-c4ad467c7f99', 1795997753492),
	(7, 4294967297, 'claim', 'owner-474e07652d48', 1795997753557),
	(8, 4294967297, 'claim', 'owner-fb8f44d2fb91', 1795997753594),
	(9, 4294967297, 'claim', 'owner-8893d19eca34', 1795997753614),
	(10, 4294967297, 'claim', 'owner-d204d09c1a05', 1795997753631),
	(11, 4294967297, 'claim', 'owner-a259c7840343', 1795997753667),
	(13, 4294967297, 'claim', 'owner-59796ded3e69', 1795997753704),
	(16, 4294967297, 'claim', 'owner-80baeeb7caa8', 1795997753755),
	(16, 4294967298, 'claim', 'owner-5847e9da55c6', 1795997753762);
INSERT INTO event_store.heads VALUES
	(1, 'conformance', 'dump-46e69856a2b1', 2020950525176014692, 2020950525176014692, 1, false, 0, NULL, NULL, NULL, 'pending', 1, NULL, NULL, NULL, NULL, false, 'conformance', '0', 'queue-2a79704b6a51', NULL, NULL, NULL, NULL, NULL, 2020950525176014692, NULL, NULL, NULL, 0, NULL, 116, 1795997753328, 1795997753328, NULL, NULL, NULL),
	(2, 'conformance', 'dump-4bd3dbe468e5', 4734618953776453920, 4734618953776453920, 1, true, 0, NULL, NULL, NULL, 'pending', 1, NULL, NULL, NULL, NULL, false, 'conformance', '0', NULL, NULL, 1796001353331, NULL, NULL, NULL, 4734618953776453920, NULL, NULL, NULL, 0, NULL, 100, 1795997753331, 1795997753331, NULL, NULL, NULL),
	(5, 'conformance', 'dump-7cdc0416bbd9~c4jvrqxx536tfkni6nysu5j2f4a', 1090001774210485517, 1090001774210485517, 1, false, 0, NULL, NULL, NULL, 'pending', 1, NULL, NULL, NULL, NULL, false, 'conformance', '0', 'queue-2a79704b6a51', NULL, NULL, 3, 2635888919160322156, 'open', 2635888919160322156, NULL, NULL, NULL, 0, NULL, 223, 1795997753421, 1795997753421, NULL, NULL, NULL),
	(4, 'conformance', 'dump-7cdc0416bbd9~clo7ofdj5f6pyvxhccfj6adcfle', 1908051153294140820, 1908051153294140820, 1, false, 4294967297, NULL, NULL, NULL, 'completed', 2, NULL, NULL, NULL, NULL, false, 'conformance', '0', 'queue-2a79704b6a51', NULL, NULL, 3, 2635888919160322156, 'done', 2635888919160322156, NULL, NULL, NULL, 1, NULL, 233, 1795997753397, 1795997753455, 1795997753455, 'completed', 'fa6e5718bd5d9417beaa3c279f83459c1c26d04df67ecbcdd5a0083389af72ab'),
	(3, 'conformance', 'dump-7cdc0416bbd9', 2635888919160322156, 2635888919160322156, 1, false, 4294967297, 'a813f78ba9ff4e5501f1a3e111d3c46c183de6930af93af830743ad66d882f7a', NULL, 1795997813348, 'parked', 4, NULL, 4, '[{"id": "open", "child": {"key": "open"}}, {"id": "mail", "message": {"key": "k", "name": "mail"}}]', NULL, false, 'conformance', '0', 'queue-2a79704b6a51', NULL, NULL, NULL, NULL, NULL, 2635888919160322156, NULL, NULL, NULL, 0, NULL, 609, 1795997753339, 1795997753471, NULL, NULL, NULL),
	(6, 'conformance', 'dump-7dd38b4cd35d', 4291660256598148946, 4291660256598148946, 1, false, 4294967298, NULL, NULL, NULL, 'running', 4, NULL, NULL, NULL, NULL, false, 'conformance', '0', 'queue-2a79704b6a51', NULL, NULL, NULL, NULL, NULL, 4291660256598148946, NULL, NULL, NULL, 0, NULL, 337, 1795997753484, 1795997753535, NULL, NULL, NULL),
	(7, 'conformance', 'dump-04077dd72169', 8439981538778022042, 8439981538778022042, 1, false, 4294967298, NULL, NULL, NULL, 'running', 4, NULL, NULL, NULL, NULL, false, 'conformance', '0', 'queue-2a79704b6a51', NULL, NULL, NULL, NULL, NULL, 8439981538778022042, 1795997753577, 3, 1795998353577, 0, NULL, 274, 1795997753541, 1795997753577, NULL, NULL, NULL),
	(8, 'conformance', 'dump-d25b3c934b1b', 35098903192334120, 35098903192334120, 1, false, 4294967297, NULL, NULL, NULL, 'completed', 2, NULL, NULL, NULL, NULL, false, 'conformance', '0', 'queue-2a79704b6a51', NULL, NULL, NULL, NULL, NULL, 35098903192334120, NULL, NULL, NULL, 1, NULL, 120, 1795997753587, 1795997753602, 1795997753602, 'completed', '74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b'),
	(9, 'conformance', 'dump-398ec6760355', 7509116767519378881, 7509116767519378881, 1, false, 4294967297, NULL, NULL, NULL, 'failed', 2, NULL, NULL, NULL, NULL, false, 'conformance', '0', 'queue-2a79704b6a51', NULL, NULL, NULL, NULL, NULL, 7509116767519378881, NULL, NULL, NULL, 1, NULL, 120, 1795997753608, 1795997753617, 1795997753617, 'failed', '74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b'),
	(10, 'conformance', 'dump-c74f17f99a81', 1216637212151889291, 1216637212151889291, 1, false, 4294967297, NULL, NULL, NULL, 'cancelled', 3, NULL, NULL, NULL, NULL, false, 'conformance', '0', 'queue-2a79704b6a51', NULL, NULL, NULL, NULL, NULL, 1216637212151889291, 1795997753639, 2, NULL, 1, NULL, 190, 1795997753626, 1795997753647, 1795997753647, 'cancelled', 'a723364d1fcd892c771c8d912aed4007e60b5995ed3239220993916027c3b112'),
	(11, 'conformance', 'dump-f32df5a4f913', 3272990361627382297, 3272990361627382297, 1, false, 4294967297, NULL, NULL, NULL, 'completed', 2, NULL, NULL, NULL, NULL, false, 'conformance', '0', 'queue-2a79704b6a51', NULL, NULL, NULL, NULL, NULL, 3272990361627382297, NULL, NULL, NULL, 1, NULL, 120, 1795997753664, 1795997753670, 1795997753670, 'completed', '74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b'),
	(12, 'conformance', 'dump-d5e21c388266', 3149138201069015097, 3149138201069015097, 1, false, 4294967297, NULL, NULL, NULL, 'deleted', 2, NULL, NULL, NULL, NULL, false, 'conformance', '0', 'queue-2a79704b6a51', NULL, NULL, NULL, NULL, NULL, 3149138201069015097, NULL, NULL, NULL, 1, NULL, 0, 1795997753679, 1795997753690, 1795997753686, 'completed', '74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b'),
	(14, 'conformance', 'dump-955610a02be8~carig3ayhycxecwrjuzc7fweuvm', 8807960259084801793, 8807960259084801793, 1, false, 0, NULL, NULL, NULL, 'pending', 1, NULL, NULL, NULL, NULL, false, 'conformance', '0', 'queue-2a79704b6a51', NULL, NULL, 13, 2105927096639591934, 'kept', 2105927096639591934, NULL, NULL, NULL, 0, NULL, 223, 1795997753717, 1795997753717, NULL, NULL, NULL),
	(13, 'conformance', 'dump-955610a02be8~2105927096639591934', 2105927096639591934, 2105927096639591934, 1, false, 4294967297, NULL, NULL, NULL, 'continued', 3, NULL, NULL, NULL, NULL, false, 'conformance', '0', 'queue-2a79704b6a51', NULL, NULL, NULL, NULL, NULL, 2105927096639591934, NULL, NULL, NULL, 1, NULL, 414, 1795997753701, 1795997753740, 1795997753740, 'continued', 'de6e78656d2dfb4643ea57e66af35c3f0372b5abd2f94221a98e442c125580bf'),
	(15, 'conformance', 'dump-955610a02be8', 1170426745856741767, 2105927096639591934, 2, false, 4294967297, NULL, NULL, NULL, 'pending', 1, NULL, NULL, NULL, NULL, false, 'conformance', '0', 'queue-2a79704b6a51', NULL, NULL, NULL, NULL, NULL, 2105927096639591934, NULL, NULL, NULL, 0, NULL, 116, 1795997753740, 1795997753740, NULL, NULL, NULL),
	(16, 'conformance', 'dump-7cef88b8fcee', 6246519596765131605, 6246519596765131605, 1, false, 4294967298, 'afe0bee021e12789c63bfce206d3b49a744d2f4889e84a1a0d797ac7b19074ba', 'owner-5847e9da55c6', 1795997813762, 'running', 1, NULL, NULL, NULL, NULL, false, 'conformance', '0', 'queue-2a79704b6a51', NULL, NULL, NULL, NULL, NULL, 6246519596765131605, NULL, NULL, NULL, 1, NULL, 116, 1795997753752, 1795997753755, NULL, NULL, NULL);
INSERT INTO event_store.inbox VALUES
	(3, 'message-7c134c060b6b', 1, 'mail', 'other', '{"x":1}', NULL, 1795997753480, false, NULL, NULL),
	(6, 'message-029578e3536e', 1, 'mail', NULL, '{"text":"é\\u0000"}', NULL, 1795997753535, true, 3, 1795997753535),
	(15, 'message-8ba9bce4fca4', 1, 'mail', NULL, 'null', NULL, 1795997753728, false, NULL, NULL);
INSERT INTO event_store.metas VALUES
	(1, '\x31', 1, 'n', NULL);
INSERT INTO event_store.namespaces VALUES
	('dumped', NULL, false);
INSERT INTO event_store.outbox OVERRIDING SYSTEM VALUE VALUES
	(1, 1, 'loom.notify-resume.v1', 'conformance/dump-46e69856a2b1', '{"namespace" : "conformance", "execution" : "dump-46e69856a2b1", "incarnation" : "2020950525176014692", "queue" : "queue-2a79704b6a51", "workflow" : "conformance", "reason" : "started", "sequence" : 1}', NULL, 1795997753328, 0, NULL),
	(2, 3, 'loom.notify-resume.v1', 'conformance/dump-7cdc0416bbd9', '{"namespace" : "conformance", "execution" : "dump-7cdc0416bbd9", "incarnation" : "2635888919160322156", "queue" : "queue-2a79704b6a51", "workflow" : "conformance", "reason" : "started", "sequence" : 1}', NULL, 1795997753339, 0, NULL),
	(3, 4, 'loom.notify-resume.v1', 'conformance/dump-7cdc0416bbd9~clo7ofdj5f6pyvxhccfj6adcfle', '{"namespace":"conformance","execution":"dump-7cdc0416bbd9~clo7ofdj5f6pyvxhccfj6adcfle","incarnation":"1908051153294140820","queue":"queue-2a79704b6a51","workflow":"conformance","reason":"started","sequence":1}', NULL, 1795997753397, 0, NULL),
	(4, 5, 'loom.notify-resume.v1', 'conformance/dump-7cdc0416bbd9~c4jvrqxx536tfkni6nysu5j2f4a', '{"namespace":"conformance","execution":"dump-7cdc0416bbd9~c4jvrqxx536tfkni6nysu5j2f4a","incarnation":"1090001774210485517","queue":"queue-2a79704b6a51","workflow":"conformance","reason":"started","sequence":1}', NULL, 1795997753421, 0, NULL),
	(5, 4, 'loom.child-done.v1', 'conformance/dump-7cdc0416bbd9', '{"namespace" : "conformance", "parent" : "dump-7cdc0416bbd9", "parent_incarnation" : "2635888919160322156", "child_key" : "done", "child" : "dump-7cdc0416bbd9~clo7ofdj5f6pyvxhccfj6adcfle", "child_incarnation" : "1908051153294140820", "status" : "completed", "sequence" : 2}', NULL, 1795997753455, 0, NULL),
	(6, 3, 'loom.execution-parked.v1', 'conformance/dump-7cdc0416bbd9', '{"namespace" : "conformance", "execution" : "dump-7cdc0416bbd9", "incarnation" : "2635888919160322156", "park_seq" : 4, "wait_kinds" : ["child","message"]}', NULL, 1795997753471, 0, NULL),
	(7, 6, 'loom.notify-resume.v1', 'conformance/dump-7dd38b4cd35d', '{"namespace" : "conformance", "execution" : "dump-7dd38b4cd35d", "incarnation" : "4291660256598148946", "queue" : "queue-2a79704b6a51", "workflow" : "conformance", "reason" : "started", "sequence" : 1}', NULL, 1795997753484, 0, NULL),
	(8, 6, 'loom.execution-parked.v1', 'conformance/dump-7dd38b4cd35d', '{"namespace" : "conformance", "execution" : "dump-7dd38b4cd35d", "incarnation" : "4291660256598148946", "park_seq" : 2, "wait_kinds" : ["message"]}', NULL, 1795997753522, 0, NULL),
	(9, 6, 'loom.notify-resume.v1', 'conformance/dump-7dd38b4cd35d', '{"namespace" : "conformance", "execution" : "dump-7dd38b4cd35d", "incarnation" : "4291660256598148946", "queue" : "queue-2a79704b6a51", "workflow" : "conformance", "reason" : "send", "sequence" : 4}', NULL, 1795997753535, 0, NULL),
	(10, 7, 'loom.notify-resume.v1', 'conformance/dump-04077dd72169', '{"namespace" : "conformance", "execution" : "dump-04077dd72169", "incarnation" : "8439981538778022042", "queue" : "queue-2a79704b6a51", "workflow" : "conformance", "reason" : "started", "sequence" : 1}', NULL, 1795997753541, 0, NULL),
	(11, 7, 'loom.execution-parked.v1', 'conformance/dump-04077dd72169', '{"namespace" : "conformance", "execution" : "dump-04077dd72169", "incarnation" : "8439981538778022042", "park_seq" : 2, "wait_kinds" : ["timer"]}', NULL, 1795997753566, 0, NULL),
	(12, 7, 'loom.notify-resume.v1', 'conformance/dump-04077dd72169', '{"namespace":"conformance","execution":"dump-04077dd72169","incarnation":"8439981538778022042","queue":"queue-2a79704b6a51","workflow":"conformance","reason":"cancel","sequence":4}', NULL, 1795997753577, 0, NULL),
	(13, 8, 'loom.notify-resume.v1', 'conformance/dump-d25b3c934b1b', '{"namespace" : "conformance", "execution" : "dump-d25b3c934b1b", "incarnation" : "35098903192334120", "queue" : "queue-2a79704b6a51", "workflow" : "conformance", "reason" : "started", "sequence" : 1}', NULL, 1795997753587, 0, NULL),
	(14, 9, 'loom.notify-resume.v1', 'conformance/dump-398ec6760355', '{"namespace" : "conformance", "execution" : "dump-398ec6760355", "incarnation" : "7509116767519378881", "queue" : "queue-2a79704b6a51", "workflow" : "conformance", "reason" : "started", "sequence" : 1}', NULL, 1795997753608, 0, NULL),
	(15, 10, 'loom.notify-resume.v1', 'conformance/dump-c74f17f99a81', '{"namespace" : "conformance", "execution" : "dump-c74f17f99a81", "incarnation" : "1216637212151889291", "queue" : "queue-2a79704b6a51", "workflow" : "conformance", "reason" : "started", "sequence" : 1}', NULL, 1795997753626, 0, NULL),
	(16, 11, 'loom.notify-resume.v1', 'conformance/dump-f32df5a4f913', '{"namespace" : "conformance", "execution" : "dump-f32df5a4f913", "incarnation" : "3272990361627382297", "queue" : "queue-2a79704b6a51", "workflow" : "conformance", "reason" : "started", "sequence" : 1}', NULL, 1795997753664, 0, NULL),
	(17, 12, 'loom.notify-resume.v1', 'conformance/dump-d5e21c388266', '{"namespace" : "conformance", "execution" : "dump-d5e21c388266", "incarnation" : "3149138201069015097", "queue" : "queue-2a79704b6a51", "workflow" : "conformance", "reason" : "started", "sequence" : 1}', NULL, 1795997753679, 0, NULL),
	(18, 13, 'loom.notify-resume.v1', 'conformance/dump-955610a02be8', '{"namespace" : "conformance", "execution" : "dump-955610a02be8", "incarnation" : "2105927096639591934", "queue" : "queue-2a79704b6a51", "workflow" : "conformance", "reason" : "started", "sequence" : 1}', NULL, 1795997753701, 0, NULL),
	(19, 14, 'loom.notify-resume.v1', 'conformance/dump-955610a02be8~carig3ayhycxecwrjuzc7fweuvm', '{"namespace":"conformance","execution":"dump-955610a02be8~carig3ayhycxecwrjuzc7fweuvm","incarnation":"8807960259084801793","queue":"queue-2a79704b6a51","workflow":"conformance","reason":"started","sequence":1}', NULL, 1795997753717, 0, NULL),
	(20, 15, 'loom.notify-resume.v1', 'conformance/dump-955610a02be8', '{"namespace":"conformance","execution":"dump-955610a02be8","incarnation":"1170426745856741767","queue":"queue-2a79704b6a51","workflow":"conformance","reason":"continued","sequence":1}', NULL, 1795997753740, 0, NULL),
	(21, 16, 'loom.notify-resume.v1', 'conformance/dump-7cef88b8fcee', '{"namespace" : "conformance", "execution" : "dump-7cef88b8fcee", "incarnation" : "6246519596765131605", "queue" : "queue-2a79704b6a51", "workflow" : "conformance", "reason" : "started", "sequence" : 1}', NULL, 1795997753752, 0, NULL),
	(22, 16, 'loom.notify-resume.v1', 'conformance/dump-7cef88b8fcee', '{"namespace" : "conformance", "execution" : "dump-7cef88b8fcee", "incarnation" : "6246519596765131605", "queue" : "queue-2a79704b6a51", "workflow" : "conformance", "reason" : "released", "sequence" : 1}', NULL, 1795997753759, 0, NULL);
INSERT INTO event_store.pins VALUES
	(11, 'operator', 'to be looked at', NULL);
INSERT INTO event_store.polls VALUES
	('dumped', 'q', 'conformance@0', 'worker', 1795997753777);
INSERT INTO event_store.queues VALUES
	('dumped', 'q', false);
INSERT INTO event_store.refusals VALUES
	(1, 16, 4294967297, 'events', 'stale', 4294967298, 1, 1795997753767, 1795997753767);
INSERT INTO event_store.restores VALUES
	(2, 'dumped', 'postgres', 1795997754070);
INSERT INTO event_store.store VALUES
	(true, 2, '{redrives}');
INSERT INTO loom.migrations VALUES
	('event_store', 1, '0001_heads_and_events', '5eab0d7a0b00755ab14f6c5b8513901dda72c59404321bc67cdb7491811e63b8', '2026-11-30 00:15:52.888067+00'),
	('event_store', 2, '0002_edges_and_inbox', 'da1414fc18930dc52c63ca27386ecdde3ab38c2e7e792aced2f5d9e9ea2ab22c', '2026-11-30 00:15:52.947993+00'),
	('event_store', 3, '0003_blobs', 'e6139a6cd15046de138681386560345d88ebf25596fc2d86571fd5b49b38dbd2', '2026-11-30 00:15:53.017696+00'),
	('event_store', 4, '0004_outbox', 'd1452ca3e8ec2dc581989a11faf173a4949d1471c34c4263580f6e579052b5c1', '2026-11-30 00:15:53.061751+00'),
	('event_store', 5, '0005_duties_namespaces_polls', '586586acf748ef00254e5c5fb929a56f5b639951e5f04e20704c3defecd5ccf0', '2026-11-30 00:15:53.141861+00'),
	('event_store', 6, '0006_restores', '2f2d03393824725a5e87d9af3baf1ea36a575078766226eca9b4ee4c43903780', '2026-11-30 00:15:53.157609+00'),
	('event_store', 7, '0007_dead_hints', 'b00a021ee300d8e2ee7f39b0bb20344806518845b743086700c12647f4161171', '2026-11-30 00:15:53.158862+00'),
	('timers', 1, '0001_timers', '493c3283971594887fce4dcad86c8297bf0a8fe56d6aeb395f33dbccac0afdcf', '2026-11-30 00:15:53.175641+00'),
	('retention', 1, '0001_policies_sweeps_archives', 'a2e3d6aa3592591d8f3fed74c3c615c1963b3b7aa5dd4ec12f85df1057fbbb6f', '2026-11-30 00:15:53.220366+00');
INSERT INTO retention.archives VALUES
	(7, 'n', 'e', 3, 2, '{"format":1,"namespace":"n","execution_id":"e","incarnation":"7","ending":"completed","last_seq":3,"events":3,"edges":0,"messages":0,"bytes":10,"sha256":"0000000000000000000000000000000000000000000000000000000000000000","archived_at":2,"file":"7.jsonl.zst"}');
INSERT INTO retention.policies VALUES
	('n', '{"completed":5,"failed":7776000000,"cancelled":2592000000,"continued":2592000000}');
INSERT INTO retention.sweeps VALUES
	(1, false, '{"started_at":1,"dry_run":false,"finished":true,"counts":{},"items":[]}');
INSERT INTO timers.timers VALUES
	('n', 'e', 7, 4, 'timer', 'redrive', 1795997753843, 0, NULL, 0),
	('n', 'e', 7, 2, 'timer', 'wake', 1795997753840, 0, 'claim', 1795997754847);
SELECT pg_catalog.setval('event_store.edges_edge_seq', 3, true);
SELECT pg_catalog.setval('event_store.heads_head_seq', 16, true);
SELECT pg_catalog.setval('event_store.outbox_id_seq', 22, true);
SELECT pg_catalog.setval('event_store.refusals_refusal_seq', 1, true);
ALTER TABLE ONLY event_store.blobs
    ADD CONSTRAINT blobs_pkey PRIMARY KEY (head, ref);
ALTER TABLE ONLY event_store.duties
    ADD CONSTRAINT duties_pkey PRIMARY KEY (name);
ALTER TABLE ONLY event_store.edges
    ADD CONSTRAINT edges_parent_head_parent_incarnation_child_key_key UNIQUE (parent_head, parent_incarnation, child_key);
ALTER TABLE ONLY event_store.edges
    ADD CONSTRAINT edges_pkey PRIMARY KEY (edge);
ALTER TABLE ONLY event_store.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (head, seq);
ALTER TABLE ONLY event_store.grants
    ADD CONSTRAINT grants_pkey PRIMARY KEY (head, token);
ALTER TABLE ONLY event_store.heads
    ADD CONSTRAINT heads_incarnation_key UNIQUE (incarnation);
ALTER TABLE ONLY event_store.heads
    ADD CONSTRAINT heads_namespace_execution_id_key UNIQUE (namespace, execution_id);
ALTER TABLE ONLY event_store.heads
    ADD CONSTRAINT heads_pkey PRIMARY KEY (head);
ALTER TABLE ONLY event_store.inbox
    ADD CONSTRAINT inbox_pkey PRIMARY KEY (head, message_id);
ALTER TABLE ONLY event_store.metas
    ADD CONSTRAINT metas_pkey PRIMARY KEY (head);
ALTER TABLE ONLY event_store.namespaces
    ADD CONSTRAINT namespaces_pkey PRIMARY KEY (name);
ALTER TABLE ONLY event_store.outbox
    ADD CONSTRAINT outbox_pkey PRIMARY KEY (id);
ALTER TABLE ONLY event_store.pins
    ADD CONSTRAINT pins_pkey PRIMARY KEY (head, owner);
ALTER TABLE ONLY event_store.polls
    ADD CONSTRAINT polls_pkey PRIMARY KEY (namespace, queue, workflow, worker);
ALTER TABLE ONLY event_store.queues
    ADD CONSTRAINT queues_pkey PRIMARY KEY (namespace, name);
ALTER TABLE ONLY event_store.refusals
    ADD CONSTRAINT refusals_pkey PRIMARY KEY (head, token, surface);
ALTER TABLE ONLY event_store.restores
    ADD CONSTRAINT restores_pkey PRIMARY KEY (epoch);
ALTER TABLE ONLY event_store.store
    ADD CONSTRAINT store_pkey PRIMARY KEY (one);
ALTER TABLE ONLY loom.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (schema, number);
ALTER TABLE ONLY retention.archives
    ADD CONSTRAINT archives_pkey PRIMARY KEY (incarnation);
ALTER TABLE ONLY retention.policies
    ADD CONSTRAINT policies_pkey PRIMARY KEY (namespace);
ALTER TABLE ONLY timers.timers
    ADD CONSTRAINT timers_pkey PRIMARY KEY (namespace, execution_id, incarnation, park_seq, wait_id, kind);
CREATE INDEX edges_by_child ON event_store.edges USING btree (child_incarnation, child_namespace, child_id, edge);
CREATE INDEX edges_closing ON event_store.edges USING btree (parent_head, child_incarnation) WHERE ((status = 'open'::text) AND (close <> 'abandon'::text));
CREATE INDEX edges_ended ON event_store.edges USING btree (parent_head, parent_incarnation) WHERE ((status <> 'open'::text) AND (consumed_at_seq IS NULL) AND (NOT released));
CREATE INDEX edges_in_order ON event_store.edges USING btree (parent_head, parent_incarnation, edge);
CREATE INDEX edges_open ON event_store.edges USING btree (parent_head, parent_incarnation) WHERE (status = 'open'::text);
CREATE UNIQUE INDEX events_answer_once ON event_store.events USING btree (head, answers_park) WHERE (answers_park IS NOT NULL);
CREATE UNIQUE INDEX events_batch_once ON event_store.events USING btree (head, batch_id) WHERE (batch_id IS NOT NULL);
CREATE UNIQUE INDEX events_end_once ON event_store.events USING btree (head) WHERE (kind = ANY (ARRAY['EXECUTION_COMPLETED'::text, 'EXECUTION_FAILED'::text, 'EXECUTION_CANCELLED'::text, 'EXECUTION_CONTINUED'::text]));
CREATE INDEX heads_awaiting_children ON event_store.heads USING btree (head) WHERE ((status = 'parked'::text) AND (waits @? '$[*]?(exists (@."child") || exists (@."group"))'::jsonpath));
CREATE INDEX heads_cancels ON event_store.heads USING btree (cancel_deadline, head) WHERE ((status = ANY (ARRAY['pending'::text, 'running'::text, 'parked'::text])) AND (cancel_deadline IS NOT NULL));
CREATE INDEX heads_deadlines ON event_store.heads USING btree (deadline_at, head) WHERE ((status = ANY (ARRAY['pending'::text, 'running'::text, 'parked'::text])) AND (deadline_at IS NOT NULL) AND (cancel_requested_at IS NULL));
CREATE INDEX heads_ended ON event_store.heads USING btree (namespace, ended_at, head) WHERE (ended_at IS NOT NULL);
CREATE INDEX heads_granted ON event_store.heads USING btree (grant_hash) WHERE (grant_hash IS NOT NULL);
CREATE INDEX heads_listed ON event_store.heads USING btree (namespace, head);
CREATE INDEX heads_overdue ON event_store.heads USING btree (wake_at, head) WHERE ((status = 'parked'::text) AND (wake_at IS NOT NULL));
CREATE INDEX heads_runnable ON event_store.heads USING btree (namespace, queue, status_at, head) WHERE ((status = ANY (ARRAY['pending'::text, 'running'::text])) AND (queue IS NOT NULL));
CREATE UNIQUE INDEX inbox_in_order ON event_store.inbox USING btree (head, inbox_seq);
CREATE INDEX inbox_waiting ON event_store.inbox USING btree (head, name, inbox_seq) WHERE (consumed_at_seq IS NULL);
CREATE INDEX outbox_by_head ON event_store.outbox USING btree (head);
CREATE INDEX archives_by_id ON retention.archives USING btree (namespace, execution_id);
CREATE INDEX sweeps_by_time ON retention.sweeps USING btree (started_at);
CREATE INDEX timers_by_time ON timers.timers USING btree (wake_at, kind);
