-- What time it is, which generation of the store this is, and the token of the next bump.

CREATE OR REPLACE FUNCTION event_store.instant() RETURNS bigint
LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
    SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint -- never now(): that is when the transaction began
$$;

CREATE OR REPLACE FUNCTION event_store.epoch() RETURNS bigint
LANGUAGE sql VOLATILE AS $$
    SELECT greatest(epoch, ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint)
      FROM event_store.store
$$;

CREATE OR REPLACE FUNCTION event_store.next_token(token bigint) RETURNS bigint
LANGUAGE sql VOLATILE AS $$
    SELECT (greatest(event_store.epoch(), token >> 32) << 32) | ((token & 4294967295) + 1)
$$;

-- H25: at another level a look after a wait would show what was before it.
CREATE OR REPLACE FUNCTION event_store.check_isolation() RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'the transaction is %', current_setting('transaction_isolation') USING ERRCODE = 'LM001';
    END IF;
END
$$;
