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
    traceparent text,
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
CREATE FUNCTION event_store.append_v1(p_namespace text, p_execution_id text, p_incarnation bigint, p_token bigint, p_grant_hash text, p_kinds text[], p_payloads text[], p_positions bigint[], p_kernels boolean[], p_batch_id text, p_digest text, p_expected_seq bigint, p_first_position bigint, p_last_position bigint, p_late boolean, p_completes boolean, p_work integer, p_room bigint, p_bytes bigint, p_ending text, p_result text, p_result_digest text, p_traceparent text DEFAULT NULL::text) RETURNS TABLE(first_seq bigint, last_seq bigint, messages boolean, outcomes boolean, cancel_seq bigint)
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
        head, seq, kind, payload, position, fence, kernel, batch_id, batch_digest, traceparent, recorded_at
    ) SELECT
        h.head, h.last_seq - n + e.number, e.kind, e.payload, e.position, h.token, e.kernel,
        CASE WHEN e.number = 1 THEN p_batch_id END, CASE WHEN e.number = 1 THEN p_digest END,
        p_traceparent, coalesce(h.ended_at, instant())
      FROM unnest(p_kinds, p_payloads, p_positions, p_kernels)
      WITH ORDINALITY AS e (kind, payload, position, kernel, number);
    IF p_ending IS NOT NULL THEN
        PERFORM end_edges(h, p_ending, p_result, h.ended_at, p_traceparent);
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
                ending, result_digest, traceparent
            ) = (
                excluded.namespace, excluded.execution_id, excluded.incarnation, excluded.chain, excluded.link,
                excluded.single_writer, excluded.token, excluded.grant_hash, excluded.owner, excluded.lease_until,
                excluded.status, excluded.last_seq, excluded.last_position, excluded.park_seq, excluded.waits,
                excluded.wake_at, excluded.unknown_tail, excluded.workflow, excluded.code_version, excluded.queue,
                excluded.not_before, excluded.deadline_at, excluded.parent_head, excluded.parent_incarnation,
                excluded.parent_key, excluded.root, excluded.cancel_requested_at, excluded.cancel_seq,
                excluded.cancel_deadline, excluded.fruitless_claims, excluded.archived_seq, excluded.log_bytes,
                excluded.created_at, excluded.status_at, excluded.ended_at, excluded.ending, excluded.result_digest,
                excluded.traceparent
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
CREATE FUNCTION event_store.end_edges(h event_store.heads, p_ending text, p_result text, at bigint, p_traceparent text) RETURNS void
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
    INSERT INTO outbox (head, topic, key, body, traceparent, created_at)
    SELECT h.head, 'loom.child-done.v1', parent.namespace || '/' || parent.execution_id,
           json_build_object(
               'namespace', parent.namespace, 'parent', parent.execution_id,
               'parent_incarnation', ended.parent_incarnation::text, 'child_key', ended.child_key,
               'child', h.execution_id, 'child_incarnation', h.incarnation::text,
               'status', p_ending, 'sequence', h.last_seq
           )::text, coalesce(h.traceparent, p_traceparent), at
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
CREATE FUNCTION event_store.hint_parked(h event_store.heads, wait_kinds text[], at bigint, p_traceparent text) RETURNS void
    LANGUAGE sql
    AS $$
    INSERT INTO event_store.outbox (head, topic, key, body, traceparent, created_at)
    SELECT h.head, 'loom.execution-parked.v1', h.namespace || '/' || h.execution_id,
           json_build_object(
               'namespace', h.namespace, 'execution', h.execution_id, 'incarnation', h.incarnation::text,
               'park_seq', h.park_seq, 'wait_kinds', wait_kinds
           )::text, p_traceparent, at
$$;
CREATE FUNCTION event_store.hint_runnable(h event_store.heads, reason text, at bigint, p_traceparent text) RETURNS void
    LANGUAGE sql
    AS $$
    INSERT INTO event_store.outbox (head, topic, key, body, traceparent, created_at)
    SELECT h.head, 'loom.notify-resume.v1', h.namespace || '/' || h.execution_id,
           json_build_object(
               'namespace', h.namespace, 'execution', h.execution_id, 'incarnation', h.incarnation::text,
               'queue', h.queue, 'workflow', h.workflow, 'reason', reason, 'sequence', h.last_seq
           )::text, p_traceparent, at
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
CREATE FUNCTION event_store.park_v1(p_namespace text, p_execution_id text, p_incarnation bigint, p_token bigint, p_grant_hash text, p_waits text[], p_delays bigint[], p_kinds text[], p_keys text[], p_names text[], p_message_keys text[], p_heard bigint, p_batch_id text, p_digest text, p_room bigint, p_traceparent text DEFAULT NULL::text) RETURNS TABLE(park_seq bigint, token bigint)
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
    INSERT INTO events (head, seq, kind, payload, fence, kernel, batch_id, batch_digest, traceparent, recorded_at)
    VALUES (
        h.head, h.park_seq, 'EXECUTION_SUSPENDED', payload, h.token, true, p_batch_id, p_digest, p_traceparent, now
    );
    PERFORM hint_parked(h, p_kinds, now, p_traceparent);
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
CREATE FUNCTION event_store.release_v1(p_namespace text, p_execution_id text, p_incarnation bigint, p_token bigint, p_grant_hash text, p_delay_ms bigint, p_traceparent text DEFAULT NULL::text) RETURNS TABLE(token bigint)
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
        PERFORM hint_runnable(h, 'released', instant(), p_traceparent);
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
CREATE FUNCTION event_store.resume_v1(p_namespace text, p_execution_id text, p_incarnation bigint, p_park_seq bigint, p_wait text, p_keys text[], p_token bigint, p_grant_hash text, p_batch_id text, p_digest text, p_traceparent text DEFAULT NULL::text) RETURNS TABLE(resumed_seq bigint, token bigint)
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
    INSERT INTO events (head, seq, kind, payload, fence, kernel, batch_id, batch_digest, traceparent, recorded_at)
    SELECT h.head, h.last_seq + k.number, 'CHILD_OUTCOME',
           '{"key":' || to_json(k.key)::text || ',"child":{"namespace":' || to_json(e.child_namespace)::text
               || ',"execution_id":' || to_json(e.child_id)::text || ',"incarnation":"' || e.child_incarnation
               || '"},"status":"' || e.status || '","outcome":' || coalesce(e.outcome, 'null')
               || ',"wait":' || to_json(p_wait)::text || '}',
           fence, true, CASE WHEN k.number = 1 THEN p_batch_id END, CASE WHEN k.number = 1 THEN p_digest END,
           p_traceparent, now
      FROM unnest(p_keys) WITH ORDINALITY AS k (key, number)
      JOIN edges AS e ON e.parent_head = h.head AND e.parent_incarnation = h.incarnation AND e.child_key = k.key;
    INSERT INTO events (
        head, seq, kind, payload, fence, kernel, answers_park, batch_id, batch_digest, traceparent, recorded_at
    ) VALUES (
        h.head, h.last_seq + n + 1, 'EXECUTION_RESUMED', answer, fence, true, p_park_seq,
        CASE WHEN n = 0 THEN p_batch_id END, CASE WHEN n = 0 THEN p_digest END, p_traceparent, now
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
        status_at = now, traceparent = p_traceparent,
        log_bytes = log_bytes + (
            SELECT sum(octet_length(payload)) FROM events WHERE head = h.head AND seq > h.last_seq
        )
     WHERE head = h.head
    RETURNING * INTO h;
    PERFORM hint_runnable(h, whose, now, p_traceparent);
    RETURN QUERY SELECT h.last_seq, h.token;
END
$$;
CREATE FUNCTION event_store.send_v1(p_namespace text, p_execution_id text, p_chain bigint, p_message_id text, p_name text, p_key text, p_payload text, p_sender_namespace text, p_sender_id text, p_sender_incarnation bigint, p_sender_token bigint, p_sender_hash text, p_waiting_max bigint, p_traceparent text DEFAULT NULL::text) RETURNS TABLE(inbox_seq bigint, resumed boolean)
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
CREATE FUNCTION event_store.start_v1(p_namespace text, p_execution_id text, p_incarnation bigint, p_workflow text, p_code_version text, p_queue text, p_payload text, p_delay_ms bigint, p_timeout_ms bigint, p_batch_id text, p_digest text, p_traceparent text DEFAULT NULL::text) RETURNS SETOF event_store.heads
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
    claimed_until bigint DEFAULT 0 NOT NULL,
    traceparent text,
    made_at bigint DEFAULT 0 NOT NULL
);
INSERT INTO event_store.blobs VALUES
	(1, 'r', '\x32');
INSERT INTO event_store.duties VALUES
	('dumped', 'somebody', 1, 1795997942477, NULL);
INSERT INTO event_store.edges OVERRIDING SYSTEM VALUE VALUES
	(2, 3, 1553851316552304045, 'open', 'conformance', 'dump-37b8545091ea~cr5vzuxvnhi2iaiezvg6tcdmpsl', 9081514461358121576, 'open', NULL, 'cancel', 'chain', false, NULL),
	(1, 3, 1553851316552304045, 'done', 'conformance', 'dump-37b8545091ea~cap7z3iz6xcwtrlv3ikqzpy3bcf', 2635033328591363398, 'completed', '{"paid":3}', 'cancel', 'chain', false, NULL),
	(3, 15, 7268532823844775688, 'kept', 'conformance', 'dump-38137b1507c4~cqnhk2g4zvtrfhg47mcyg6qghny', 8991385669028880141, 'open', NULL, 'cancel', 'chain', false, NULL);
INSERT INTO event_store.events VALUES
	(1, 1, 'EXECUTION_STARTED', '{"workflow":"conformance","code_version":"0","queue":"queue-a4606a840251","input":null,"parent":null,"cancel":false}', NULL, 0, true, NULL, NULL, 'key-d7ac27b2891b', 'fced556bba151cbe60308320662bc8615f93cccba896d6dec9cd3935a738d8a5', NULL, 1795997941051),
	(2, 1, 'EXECUTION_STARTED', '{"workflow":"conformance","code_version":"0","queue":null,"input":null,"parent":null,"cancel":false}', NULL, 0, true, NULL, NULL, 'key-065327555454', '82aff9662a503a4e095ee451c1317c5f5394fa5c1b92bfd78a3697fe8c8a13a3', NULL, 1795997941059),
	(3, 1, 'EXECUTION_STARTED', '{"workflow":"conformance","code_version":"0","queue":"queue-a4606a840251","input":null,"parent":null,"cancel":false}', NULL, 0, true, NULL, NULL, 'key-fabdacf71503', 'b04473b549cab8372552ed567e4c4acaf1edb43fddf72d6f0cebdb35782a2056', NULL, 1795997941060),
	(4, 1, 'EXECUTION_STARTED', '{"workflow":"conformance","code_version":"0","queue":"queue-a4606a840251","input":null,"parent":{"namespace":"conformance","execution_id":"dump-37b8545091ea","incarnation":"1553851316552304045","key":"done"},"cancel":false}', NULL, 0, true, NULL, NULL, NULL, NULL, NULL, 1795997941121),
	(3, 2, 'CHILD_STARTED', '{"key":"done","child":{"namespace":"conformance","execution_id":"dump-37b8545091ea~cap7z3iz6xcwtrlv3ikqzpy3bcf","incarnation":"2635033328591363398"},"workflow":"conformance","attached":false}', NULL, 4294967297, true, NULL, NULL, 'key-7444d1547fb9', 'bc2e487dd6cbc33f411e173f7d5f298a1f25775b8269b4ffc7a55ad45cdd02d7', NULL, 1795997941121),
	(5, 1, 'EXECUTION_STARTED', '{"workflow":"conformance","code_version":"0","queue":"queue-a4606a840251","input":null,"parent":{"namespace":"conformance","execution_id":"dump-37b8545091ea","incarnation":"1553851316552304045","key":"open"},"cancel":false}', NULL, 0, true, NULL, NULL, NULL, NULL, NULL, 1795997941173),
	(3, 3, 'CHILD_STARTED', '{"key":"open","child":{"namespace":"conformance","execution_id":"dump-37b8545091ea~cr5vzuxvnhi2iaiezvg6tcdmpsl","incarnation":"9081514461358121576"},"workflow":"conformance","attached":false}', NULL, 4294967297, true, NULL, NULL, 'key-22fbe079101f', 'd302cb0b9d34f2056f602386aff8c79513e13d931d6ead8c27cdfaba8cdf72e9', NULL, 1795997941173),
	(4, 2, 'EXECUTION_COMPLETED', '{"paid":3}', NULL, 4294967297, true, NULL, NULL, 'key-8e3a8a764eaf', '54c705db191cfccb8fe1403c03972fca757314fd1eed5d26a0937ba0a5e2d617', NULL, 1795997941207),
	(3, 4, 'EXECUTION_SUSPENDED', '{"waits":[{"id":"open","child":{"key":"open"}},{"id":"mail","message":{"name":"mail","key":"k"}}],"heard":null}', NULL, 4294967297, true, NULL, NULL, 'key-1ffec1f50906', '1892720eb70d6a7b7ecae6718c57e5b03688a28ee3182c54f3a544ac34a7f2fa', NULL, 1795997941218),
	(6, 1, 'EXECUTION_STARTED', '{"workflow":"conformance","code_version":"0","queue":"queue-a4606a840251","input":null,"parent":null,"cancel":false}', NULL, 0, true, NULL, NULL, 'key-b48ba880faf8', '33c997c0d60f18bb3a1dce1ef360ac054002d4b71206c7872dfca4c76a500768', NULL, 1795997941228),
	(6, 2, 'EXECUTION_SUSPENDED', '{"waits":[{"id":"mail","message":{"name":"mail","key":null}}],"heard":null}', NULL, 4294967297, true, NULL, NULL, 'key-414818555895', '6a3dca2b75ac2661602ddd09e0756ba2abac693789098d1836a4c0a08df5bc9b', NULL, 1795997941245),
	(6, 3, 'MESSAGE_CONSUMED', '{"message_id":"message-16d4a3627875","name":"mail","key":null,"payload":{"text":"é\\u0000"},"wait":"mail"}', NULL, 4294967298, true, NULL, NULL, NULL, NULL, NULL, 1795997941253),
	(6, 4, 'EXECUTION_RESUMED', '{"wait":"mail","keys":null,"by":"send"}', NULL, 4294967298, true, NULL, 2, NULL, NULL, NULL, 1795997941253),
	(7, 1, 'EXECUTION_STARTED', '{"workflow":"conformance","code_version":"0","queue":"queue-a4606a840251","input":null,"parent":null,"cancel":false}', NULL, 0, true, NULL, NULL, 'key-ba251c383656', '0763486f0b7c9fd8e3619b609f670c816dd4cb1bdb0b9be004aba317bd790ed5', NULL, 1795997941257),
	(7, 2, 'EXECUTION_SUSPENDED', '{"waits":[{"id":"timer","timer":{"wake_at":1796001541263,"delay_ms":null}}],"heard":null}', NULL, 4294967297, true, NULL, NULL, 'key-fa31b671e5bb', '86cb27b38ad97496012dd483d9973dc4494d88d1b570b35f9906ab982068bd4c', NULL, 1795997941263),
	(7, 3, 'EXECUTION_CANCEL_REQUESTED', '{"by":"request","reason":null}', NULL, 4294967297, true, NULL, NULL, NULL, NULL, NULL, 1795997941277),
	(7, 4, 'EXECUTION_RESUMED', '{"wait":null,"keys":null,"by":"cancel"}', NULL, 4294967298, true, NULL, 2, NULL, NULL, NULL, 1795997941277),
	(8, 1, 'EXECUTION_STARTED', '{"workflow":"conformance","code_version":"0","queue":"queue-a4606a840251","input":null,"parent":null,"cancel":false}', NULL, 0, true, NULL, NULL, 'key-d4887e16f913', '752913b6fd8d895a73759467b37aab627d41548852157844c5343ca93fcc3973', NULL, 1795997941280),
	(8, 2, 'EXECUTION_COMPLETED', 'null', NULL, 4294967297, true, NULL, NULL, 'key-e2c91c976b24', 'd9629632fcdc6970593f7be800bc2efaf40019f16f53bdd9175a47d170bd67ba', NULL, 1795997941291),
	(9, 1, 'EXECUTION_STARTED', '{"workflow":"conformance","code_version":"0","queue":"queue-a4606a840251","input":null,"parent":null,"cancel":false}', NULL, 0, true, NULL, NULL, 'key-34d1be5c1cf8', 'dacceac1c08decd2ad8629ae11db0b9153e56957fbf99d6e7db47bdd764935b5', NULL, 1795997941293),
	(9, 2, 'EXECUTION_FAILED', 'null', NULL, 4294967297, true, NULL, NULL, 'key-158e98f3deb4', '679930364b19294b11233e9fd9d4a2b9288163dcbc67514abec99c271a398f5e', NULL, 1795997941308),
	(10, 1, 'EXECUTION_STARTED', '{"workflow":"conformance","code_version":"0","queue":"queue-a4606a840251","input":null,"parent":null,"cancel":false}', NULL, 0, true, NULL, NULL, 'key-59c0fda729ca', '705c4c7f24f3aafc6d301128ca3a5541b10d7e9c8994b4a05594c33b9429ec21', NULL, 1795997941313),
	(10, 2, 'EXECUTION_CANCEL_REQUESTED', '{"by":"request","reason":null}', NULL, 4294967297, true, NULL, NULL, NULL, NULL, NULL, 1795997941341),
	(10, 3, 'EXECUTION_CANCELLED', '{"by":"request","reason":null,"detail":null}', NULL, 4294967297, true, NULL, NULL, 'key-effc8c2067ed', 'f5f5b460f1f3c60f946b6bb061d2afa3c0ffb9c28c599f340fc6577ff5fa8ca8', NULL, 1795997941363),
	(11, 1, 'EXECUTION_STARTED', '{"workflow":"conformance","code_version":"0","queue":"queue-a4606a840251","input":null,"parent":null,"cancel":false}', NULL, 0, true, NULL, NULL, 'key-e319963f058e', 'bc8d34746b368501096c14d3b1a6f7138118671b4517733e1c176f79294138b0', NULL, 1795997941392),
	(11, 2, 'EXECUTION_COMPLETED', 'null', NULL, 4294967297, true, NULL, NULL, 'key-fa08a5351132', '55dfa575c340eee707dae826a566a875534b47f95817bab969dfa0afd8050add', NULL, 1795997941402),
	(13, 1, 'EXECUTION_STARTED', '{"workflow":"conformance","code_version":"0","queue":"queue-a4606a840251","input":null,"parent":null,"cancel":false}', NULL, 0, true, NULL, NULL, 'key-81da02b5e47d', '1220a0b63849e32487f9d1e3dc4888b51833f1b84fd21b45f7ab2728c3d469a9', NULL, 1795997941432),
	(14, 1, 'EXECUTION_STARTED', '{"workflow":"conformance","code_version":"0","queue":"queue-a4606a840251","input":null,"parent":{"namespace":"conformance","execution_id":"dump-38137b1507c4","incarnation":"469818358152136885","key":"kept"},"cancel":false}', NULL, 0, true, NULL, NULL, NULL, NULL, NULL, 1795997941440),
	(13, 2, 'CHILD_STARTED', '{"key":"kept","child":{"namespace":"conformance","execution_id":"dump-38137b1507c4~cqnhk2g4zvtrfhg47mcyg6qghny","incarnation":"8991385669028880141"},"workflow":"conformance","attached":false}', NULL, 4294967297, true, NULL, NULL, 'key-44c47bf3149a', '81f4a2afd2a3d3c8af9041a7fca151670819c44c12a0a932d2ed597f03b5b774', NULL, 1795997941440),
	(13, 3, 'EXECUTION_CONTINUED', '{"next":{"namespace":"conformance","execution_id":"dump-38137b1507c4","incarnation":"7268532823844775688"}}', NULL, 4294967297, true, NULL, NULL, 'key-d0037a56beb9', '0e4873b772b23ca5cfbcb049bf2e96bb9a96704199072e94cf65f16aa5091972', NULL, 1795997941449),
	(15, 1, 'EXECUTION_STARTED', '{"workflow":"conformance","code_version":"0","queue":"queue-a4606a840251","input":null,"parent":null,"cancel":false}', NULL, 4294967297, true, NULL, NULL, NULL, NULL, NULL, 1795997941449),
	(16, 1, 'EXECUTION_STARTED', '{"workflow":"conformance","code_version":"0","queue":"queue-a4606a840251","input":null,"parent":null,"cancel":false}', NULL, 0, true, NULL, NULL, 'key-86ea36ac1d32', 'f26363ec880ab9d44ff1c92302e251033a36912fa0ef47ce7c61ba7a0fd8cb12', NULL, 1795997941460);
INSERT INTO event_store.grants VALUES
	(3, 4294967297, 'claim', 'owner-7835f3066d63', 1795997941064),
	(4, 4294967297, 'claim', 'owner-4d0368f9e3e9', 1795997941185),
	(6, 4294967297, 'claim', 'owner-5c383b4633d1', 1795997941242),
	(7, 4294967297, 'claim', 'owner-f771d2ee14f5', 1795997941260),
	(8, 4294967297, 'claim', 'owner-44f748af622f', 1795997941286),
	(9, 4294967297, 'claim', 'owner-fec6069e649f', 1795997941296),
	(10, 4294967297, 'claim', 'owner-90a9b61890ad', 1795997941325),
	(11, 4294967297, 'claim', 'owner-58c2c0861cf8', 1795997941398),
	(13, 4294967297, 'claim', 'owner-7d2c27f96538', 1795997941433),
	(16, 4294967297, 'claim', 'owner-0f42cc1927c3', 1795997941462),
	(16, 4294967298, 'claim', 'owner-6ccc6af47c24', 1795997941464);
INSERT INTO event_store.heads VALUES
	(1, 'conformance', 'dump-869a1ba95291', 4455493689707047316, 4455493689707047316, 1, false, 0, NULL, NULL, NULL, 'pending', 1, NULL, NULL, NULL, NULL, false, 'conformance', '0', 'queue-a4606a840251', NULL, NULL, NULL, NULL, NULL, 4455493689707047316, NULL, NULL, NULL, 0, NULL, 116, 1795997941051, 1795997941051, NULL, NULL, NULL, NULL),
	(2, 'conformance', 'dump-5792f19bf9be', 4069965593336746589, 4069965593336746589, 1, true, 0, NULL, NULL, NULL, 'pending', 1, NULL, NULL, NULL, NULL, false, 'conformance', '0', NULL, NULL, 1796001541059, NULL, NULL, NULL, 4069965593336746589, NULL, NULL, NULL, 0, NULL, 100, 1795997941059, 1795997941059, NULL, NULL, NULL, NULL),
	(5, 'conformance', 'dump-37b8545091ea~cr5vzuxvnhi2iaiezvg6tcdmpsl', 9081514461358121576, 9081514461358121576, 1, false, 0, NULL, NULL, NULL, 'pending', 1, NULL, NULL, NULL, NULL, false, 'conformance', '0', 'queue-a4606a840251', NULL, NULL, 3, 1553851316552304045, 'open', 1553851316552304045, NULL, NULL, NULL, 0, NULL, 223, 1795997941173, 1795997941173, NULL, NULL, NULL, NULL),
	(4, 'conformance', 'dump-37b8545091ea~cap7z3iz6xcwtrlv3ikqzpy3bcf', 2635033328591363398, 2635033328591363398, 1, false, 4294967297, NULL, NULL, NULL, 'completed', 2, NULL, NULL, NULL, NULL, false, 'conformance', '0', 'queue-a4606a840251', NULL, NULL, 3, 1553851316552304045, 'done', 1553851316552304045, NULL, NULL, NULL, 1, NULL, 233, 1795997941121, 1795997941207, 1795997941207, 'completed', 'fa6e5718bd5d9417beaa3c279f83459c1c26d04df67ecbcdd5a0083389af72ab', NULL),
	(3, 'conformance', 'dump-37b8545091ea', 1553851316552304045, 1553851316552304045, 1, false, 4294967297, '133471beeeb8f1fba588a841af21ecaa2bdfdba144550747e883b9418de855e8', NULL, 1795998001064, 'parked', 4, NULL, 4, '[{"id": "open", "child": {"key": "open"}}, {"id": "mail", "message": {"key": "k", "name": "mail"}}]', NULL, false, 'conformance', '0', 'queue-a4606a840251', NULL, NULL, NULL, NULL, NULL, 1553851316552304045, NULL, NULL, NULL, 0, NULL, 609, 1795997941060, 1795997941218, NULL, NULL, NULL, NULL),
	(6, 'conformance', 'dump-001dc443bf4f', 1532165664041032459, 1532165664041032459, 1, false, 4294967298, NULL, NULL, NULL, 'running', 4, NULL, NULL, NULL, NULL, false, 'conformance', '0', 'queue-a4606a840251', NULL, NULL, NULL, NULL, NULL, 1532165664041032459, NULL, NULL, NULL, 0, NULL, 337, 1795997941228, 1795997941253, NULL, NULL, NULL, NULL),
	(7, 'conformance', 'dump-a1a3cbd41750', 2706817227041886882, 2706817227041886882, 1, false, 4294967298, NULL, NULL, NULL, 'running', 4, NULL, NULL, NULL, NULL, false, 'conformance', '0', 'queue-a4606a840251', NULL, NULL, NULL, NULL, NULL, 2706817227041886882, 1795997941277, 3, 1795998541277, 0, NULL, 274, 1795997941257, 1795997941277, NULL, NULL, NULL, NULL),
	(8, 'conformance', 'dump-751f3fcdc77d', 1039594132955230163, 1039594132955230163, 1, false, 4294967297, NULL, NULL, NULL, 'completed', 2, NULL, NULL, NULL, NULL, false, 'conformance', '0', 'queue-a4606a840251', NULL, NULL, NULL, NULL, NULL, 1039594132955230163, NULL, NULL, NULL, 1, NULL, 120, 1795997941280, 1795997941291, 1795997941291, 'completed', '74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b', NULL),
	(9, 'conformance', 'dump-41bd1d4dd3a4', 1649706250937762977, 1649706250937762977, 1, false, 4294967297, NULL, NULL, NULL, 'failed', 2, NULL, NULL, NULL, NULL, false, 'conformance', '0', 'queue-a4606a840251', NULL, NULL, NULL, NULL, NULL, 1649706250937762977, NULL, NULL, NULL, 1, NULL, 120, 1795997941293, 1795997941308, 1795997941308, 'failed', '74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b', NULL),
	(10, 'conformance', 'dump-ec43b3e83b9a', 7377850964320914803, 7377850964320914803, 1, false, 4294967297, NULL, NULL, NULL, 'cancelled', 3, NULL, NULL, NULL, NULL, false, 'conformance', '0', 'queue-a4606a840251', NULL, NULL, NULL, NULL, NULL, 7377850964320914803, 1795997941341, 2, NULL, 1, NULL, 190, 1795997941313, 1795997941363, 1795997941363, 'cancelled', 'a723364d1fcd892c771c8d912aed4007e60b5995ed3239220993916027c3b112', NULL),
	(11, 'conformance', 'dump-b63bfedc767e', 8038028725387655677, 8038028725387655677, 1, false, 4294967297, NULL, NULL, NULL, 'completed', 2, NULL, NULL, NULL, NULL, false, 'conformance', '0', 'queue-a4606a840251', NULL, NULL, NULL, NULL, NULL, 8038028725387655677, NULL, NULL, NULL, 1, NULL, 120, 1795997941392, 1795997941402, 1795997941402, 'completed', '74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b', NULL),
	(12, 'conformance', 'dump-1f5deb1fc485', 1483792515626927137, 1483792515626927137, 1, false, 4294967297, NULL, NULL, NULL, 'deleted', 2, NULL, NULL, NULL, NULL, false, 'conformance', '0', 'queue-a4606a840251', NULL, NULL, NULL, NULL, NULL, 1483792515626927137, NULL, NULL, NULL, 1, NULL, 0, 1795997941416, 1795997941424, 1795997941421, 'completed', '74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b', NULL),
	(14, 'conformance', 'dump-38137b1507c4~cqnhk2g4zvtrfhg47mcyg6qghny', 8991385669028880141, 8991385669028880141, 1, false, 0, NULL, NULL, NULL, 'pending', 1, NULL, NULL, NULL, NULL, false, 'conformance', '0', 'queue-a4606a840251', NULL, NULL, 13, 469818358152136885, 'kept', 469818358152136885, NULL, NULL, NULL, 0, NULL, 222, 1795997941440, 1795997941440, NULL, NULL, NULL, NULL),
	(13, 'conformance', 'dump-38137b1507c4~469818358152136885', 469818358152136885, 469818358152136885, 1, false, 4294967297, NULL, NULL, NULL, 'continued', 3, NULL, NULL, NULL, NULL, false, 'conformance', '0', 'queue-a4606a840251', NULL, NULL, NULL, NULL, NULL, 469818358152136885, NULL, NULL, NULL, 1, NULL, 414, 1795997941432, 1795997941449, 1795997941449, 'continued', '06e0276be65f1ca305a4c9da63169b81e45c1df6ef22bc81d718f3e637208a6f', NULL),
	(15, 'conformance', 'dump-38137b1507c4', 7268532823844775688, 469818358152136885, 2, false, 4294967297, NULL, NULL, NULL, 'pending', 1, NULL, NULL, NULL, NULL, false, 'conformance', '0', 'queue-a4606a840251', NULL, NULL, NULL, NULL, NULL, 469818358152136885, NULL, NULL, NULL, 0, NULL, 116, 1795997941449, 1795997941449, NULL, NULL, NULL, NULL),
	(16, 'conformance', 'dump-e63cb089eced', 7533286058135207549, 7533286058135207549, 1, false, 4294967298, '1ee75c1df0269be14fc396939940235eeab9075791dcb826d86f9af552fdc465', 'owner-6ccc6af47c24', 1795998001464, 'running', 1, NULL, NULL, NULL, NULL, false, 'conformance', '0', 'queue-a4606a840251', NULL, NULL, NULL, NULL, NULL, 7533286058135207549, NULL, NULL, NULL, 1, NULL, 116, 1795997941460, 1795997941462, NULL, NULL, NULL, NULL);
INSERT INTO event_store.inbox VALUES
	(3, 'message-73df83b68a6a', 1, 'mail', 'other', '{"x":1}', NULL, 1795997941224, false, NULL, NULL),
	(6, 'message-16d4a3627875', 1, 'mail', NULL, '{"text":"é\\u0000"}', NULL, 1795997941253, true, 3, 1795997941253),
	(15, 'message-d69cbc8a0070', 1, 'mail', NULL, 'null', NULL, 1795997941443, false, NULL, NULL);
INSERT INTO event_store.metas VALUES
	(1, '\x31', 1, 'n', NULL);
INSERT INTO event_store.namespaces VALUES
	('dumped', NULL, false);
INSERT INTO event_store.outbox OVERRIDING SYSTEM VALUE VALUES
	(1, 1, 'loom.notify-resume.v1', 'conformance/dump-869a1ba95291', '{"namespace" : "conformance", "execution" : "dump-869a1ba95291", "incarnation" : "4455493689707047316", "queue" : "queue-a4606a840251", "workflow" : "conformance", "reason" : "started", "sequence" : 1}', NULL, 1795997941051, 0, NULL),
	(2, 3, 'loom.notify-resume.v1', 'conformance/dump-37b8545091ea', '{"namespace" : "conformance", "execution" : "dump-37b8545091ea", "incarnation" : "1553851316552304045", "queue" : "queue-a4606a840251", "workflow" : "conformance", "reason" : "started", "sequence" : 1}', NULL, 1795997941060, 0, NULL),
	(3, 4, 'loom.notify-resume.v1', 'conformance/dump-37b8545091ea~cap7z3iz6xcwtrlv3ikqzpy3bcf', '{"namespace":"conformance","execution":"dump-37b8545091ea~cap7z3iz6xcwtrlv3ikqzpy3bcf","incarnation":"2635033328591363398","queue":"queue-a4606a840251","workflow":"conformance","reason":"started","sequence":1}', NULL, 1795997941121, 0, NULL),
	(4, 5, 'loom.notify-resume.v1', 'conformance/dump-37b8545091ea~cr5vzuxvnhi2iaiezvg6tcdmpsl', '{"namespace":"conformance","execution":"dump-37b8545091ea~cr5vzuxvnhi2iaiezvg6tcdmpsl","incarnation":"9081514461358121576","queue":"queue-a4606a840251","workflow":"conformance","reason":"started","sequence":1}', NULL, 1795997941173, 0, NULL),
	(5, 4, 'loom.child-done.v1', 'conformance/dump-37b8545091ea', '{"namespace" : "conformance", "parent" : "dump-37b8545091ea", "parent_incarnation" : "1553851316552304045", "child_key" : "done", "child" : "dump-37b8545091ea~cap7z3iz6xcwtrlv3ikqzpy3bcf", "child_incarnation" : "2635033328591363398", "status" : "completed", "sequence" : 2}', NULL, 1795997941207, 0, NULL),
	(6, 3, 'loom.execution-parked.v1', 'conformance/dump-37b8545091ea', '{"namespace" : "conformance", "execution" : "dump-37b8545091ea", "incarnation" : "1553851316552304045", "park_seq" : 4, "wait_kinds" : ["child","message"]}', NULL, 1795997941218, 0, NULL),
	(7, 6, 'loom.notify-resume.v1', 'conformance/dump-001dc443bf4f', '{"namespace" : "conformance", "execution" : "dump-001dc443bf4f", "incarnation" : "1532165664041032459", "queue" : "queue-a4606a840251", "workflow" : "conformance", "reason" : "started", "sequence" : 1}', NULL, 1795997941228, 0, NULL),
	(8, 6, 'loom.execution-parked.v1', 'conformance/dump-001dc443bf4f', '{"namespace" : "conformance", "execution" : "dump-001dc443bf4f", "incarnation" : "1532165664041032459", "park_seq" : 2, "wait_kinds" : ["message"]}', NULL, 1795997941245, 0, NULL),
	(9, 6, 'loom.notify-resume.v1', 'conformance/dump-001dc443bf4f', '{"namespace" : "conformance", "execution" : "dump-001dc443bf4f", "incarnation" : "1532165664041032459", "queue" : "queue-a4606a840251", "workflow" : "conformance", "reason" : "send", "sequence" : 4}', NULL, 1795997941253, 0, NULL),
	(10, 7, 'loom.notify-resume.v1', 'conformance/dump-a1a3cbd41750', '{"namespace" : "conformance", "execution" : "dump-a1a3cbd41750", "incarnation" : "2706817227041886882", "queue" : "queue-a4606a840251", "workflow" : "conformance", "reason" : "started", "sequence" : 1}', NULL, 1795997941257, 0, NULL),
	(11, 7, 'loom.execution-parked.v1', 'conformance/dump-a1a3cbd41750', '{"namespace" : "conformance", "execution" : "dump-a1a3cbd41750", "incarnation" : "2706817227041886882", "park_seq" : 2, "wait_kinds" : ["timer"]}', NULL, 1795997941263, 0, NULL),
	(12, 7, 'loom.notify-resume.v1', 'conformance/dump-a1a3cbd41750', '{"namespace":"conformance","execution":"dump-a1a3cbd41750","incarnation":"2706817227041886882","queue":"queue-a4606a840251","workflow":"conformance","reason":"cancel","sequence":4}', NULL, 1795997941277, 0, NULL),
	(13, 8, 'loom.notify-resume.v1', 'conformance/dump-751f3fcdc77d', '{"namespace" : "conformance", "execution" : "dump-751f3fcdc77d", "incarnation" : "1039594132955230163", "queue" : "queue-a4606a840251", "workflow" : "conformance", "reason" : "started", "sequence" : 1}', NULL, 1795997941280, 0, NULL),
	(14, 9, 'loom.notify-resume.v1', 'conformance/dump-41bd1d4dd3a4', '{"namespace" : "conformance", "execution" : "dump-41bd1d4dd3a4", "incarnation" : "1649706250937762977", "queue" : "queue-a4606a840251", "workflow" : "conformance", "reason" : "started", "sequence" : 1}', NULL, 1795997941293, 0, NULL),
	(15, 10, 'loom.notify-resume.v1', 'conformance/dump-ec43b3e83b9a', '{"namespace" : "conformance", "execution" : "dump-ec43b3e83b9a", "incarnation" : "7377850964320914803", "queue" : "queue-a4606a840251", "workflow" : "conformance", "reason" : "started", "sequence" : 1}', NULL, 1795997941313, 0, NULL),
	(16, 11, 'loom.notify-resume.v1', 'conformance/dump-b63bfedc767e', '{"namespace" : "conformance", "execution" : "dump-b63bfedc767e", "incarnation" : "8038028725387655677", "queue" : "queue-a4606a840251", "workflow" : "conformance", "reason" : "started", "sequence" : 1}', NULL, 1795997941392, 0, NULL),
	(17, 12, 'loom.notify-resume.v1', 'conformance/dump-1f5deb1fc485', '{"namespace" : "conformance", "execution" : "dump-1f5deb1fc485", "incarnation" : "1483792515626927137", "queue" : "queue-a4606a840251", "workflow" : "conformance", "reason" : "started", "sequence" : 1}', NULL, 1795997941416, 0, NULL),
	(18, 13, 'loom.notify-resume.v1', 'conformance/dump-38137b1507c4', '{"namespace" : "conformance", "execution" : "dump-38137b1507c4", "incarnation" : "469818358152136885", "queue" : "queue-a4606a840251", "workflow" : "conformance", "reason" : "started", "sequence" : 1}', NULL, 1795997941432, 0, NULL),
	(19, 14, 'loom.notify-resume.v1', 'conformance/dump-38137b1507c4~cqnhk2g4zvtrfhg47mcyg6qghny', '{"namespace":"conformance","execution":"dump-38137b1507c4~cqnhk2g4zvtrfhg47mcyg6qghny","incarnation":"8991385669028880141","queue":"queue-a4606a840251","workflow":"conformance","reason":"started","sequence":1}', NULL, 1795997941440, 0, NULL),
	(20, 15, 'loom.notify-resume.v1', 'conformance/dump-38137b1507c4', '{"namespace":"conformance","execution":"dump-38137b1507c4","incarnation":"7268532823844775688","queue":"queue-a4606a840251","workflow":"conformance","reason":"continued","sequence":1}', NULL, 1795997941449, 0, NULL),
	(21, 16, 'loom.notify-resume.v1', 'conformance/dump-e63cb089eced', '{"namespace" : "conformance", "execution" : "dump-e63cb089eced", "incarnation" : "7533286058135207549", "queue" : "queue-a4606a840251", "workflow" : "conformance", "reason" : "started", "sequence" : 1}', NULL, 1795997941460, 0, NULL),
	(22, 16, 'loom.notify-resume.v1', 'conformance/dump-e63cb089eced', '{"namespace" : "conformance", "execution" : "dump-e63cb089eced", "incarnation" : "7533286058135207549", "queue" : "queue-a4606a840251", "workflow" : "conformance", "reason" : "released", "sequence" : 1}', NULL, 1795997941463, 0, NULL);
INSERT INTO event_store.pins VALUES
	(11, 'operator', 'to be looked at', NULL);
INSERT INTO event_store.polls VALUES
	('dumped', 'q', 'conformance@0', 'worker', 1795997941471);
INSERT INTO event_store.queues VALUES
	('dumped', 'q', false);
INSERT INTO event_store.refusals VALUES
	(1, 16, 4294967297, 'events', 'stale', 4294967298, 1, 1795997941467, 1795997941467);
INSERT INTO event_store.restores VALUES
	(2, 'dumped', 'postgres', 1795997941622);
INSERT INTO event_store.store VALUES
	(true, 2, '{redrives}');
INSERT INTO loom.migrations VALUES
	('event_store', 1, '0001_heads_and_events', '5eab0d7a0b00755ab14f6c5b8513901dda72c59404321bc67cdb7491811e63b8', '2026-11-30 00:19:00.593129+00'),
	('event_store', 2, '0002_edges_and_inbox', 'da1414fc18930dc52c63ca27386ecdde3ab38c2e7e792aced2f5d9e9ea2ab22c', '2026-11-30 00:19:00.622243+00'),
	('event_store', 3, '0003_blobs', 'e6139a6cd15046de138681386560345d88ebf25596fc2d86571fd5b49b38dbd2', '2026-11-30 00:19:00.644466+00'),
	('event_store', 4, '0004_outbox', 'd1452ca3e8ec2dc581989a11faf173a4949d1471c34c4263580f6e579052b5c1', '2026-11-30 00:19:00.669196+00'),
	('event_store', 5, '0005_duties_namespaces_polls', '586586acf748ef00254e5c5fb929a56f5b639951e5f04e20704c3defecd5ccf0', '2026-11-30 00:19:00.707098+00'),
	('event_store', 6, '0006_restores', '2f2d03393824725a5e87d9af3baf1ea36a575078766226eca9b4ee4c43903780', '2026-11-30 00:19:00.717163+00'),
	('event_store', 7, '0007_dead_hints', 'b00a021ee300d8e2ee7f39b0bb20344806518845b743086700c12647f4161171', '2026-11-30 00:19:00.718345+00'),
	('event_store', 8, '0008_trace_context', '0c577d3f450e5816f8576eaf901fcd6374b03afc0e02d08178611f21c3da8aaf', '2026-11-30 00:19:00.721722+00'),
	('timers', 1, '0001_timers', '493c3283971594887fce4dcad86c8297bf0a8fe56d6aeb395f33dbccac0afdcf', '2026-11-30 00:19:00.746148+00'),
	('timers', 2, '0002_trace_context', '568f6e41bfe80852a5ca66aad7a63681fb4d1102653f4e0042d7687c5daae59f', '2026-11-30 00:19:00.756474+00'),
	('retention', 1, '0001_policies_sweeps_archives', 'a2e3d6aa3592591d8f3fed74c3c615c1963b3b7aa5dd4ec12f85df1057fbbb6f', '2026-11-30 00:19:00.835759+00');
INSERT INTO retention.archives VALUES
	(7, 'n', 'e', 3, 2, '{"format":1,"namespace":"n","execution_id":"e","incarnation":"7","ending":"completed","last_seq":3,"events":3,"edges":0,"messages":0,"bytes":10,"sha256":"0000000000000000000000000000000000000000000000000000000000000000","archived_at":2,"file":"7.jsonl.zst"}');
INSERT INTO retention.policies VALUES
	('n', '{"completed":5,"failed":7776000000,"cancelled":2592000000,"continued":2592000000}');
INSERT INTO retention.sweeps VALUES
	(1, false, '{"started_at":1,"dry_run":false,"finished":true,"counts":{},"items":[]}');
INSERT INTO timers.timers VALUES
	('n', 'e', 7, 4, 'timer', 'redrive', 1795997941533, 0, NULL, 0, NULL, 1795997941533),
	('n', 'e', 7, 2, 'timer', 'wake', 1795997941525, 0, 'claim', 1795997942535, NULL, 1795997941525);
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
