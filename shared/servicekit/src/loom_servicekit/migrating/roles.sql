-- The application's role, named by the setting loom.application: no DDL; its isolation, plans and bounds hold in this
-- database behind any pooler (H25).
DO $$
DECLARE
    application text := current_setting('loom.application');
    here text := current_database();
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = application) THEN
        BEGIN
            EXECUTE format('CREATE ROLE %I LOGIN', application);
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL; -- made meanwhile, from another database of this server
        END;
    END IF;
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', here, application);
    EXECUTE format('GRANT USAGE ON SCHEMA loom TO %I', application);
    EXECUTE format('GRANT SELECT ON loom.migrations TO %I', application);
    EXECUTE format('ALTER ROLE %I IN DATABASE %I SET default_transaction_isolation = %L', application, here, 'read committed');
    EXECUTE format('ALTER ROLE %I IN DATABASE %I SET plan_cache_mode = %L', application, here, 'force_custom_plan');
    EXECUTE format('ALTER ROLE %I IN DATABASE %I SET lock_timeout = %L', application, here, '2s');
    EXECUTE format('ALTER ROLE %I IN DATABASE %I SET idle_in_transaction_session_timeout = %L', application, here, '5s');
END
$$;
