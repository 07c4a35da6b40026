-- What the application may do, named by the setting loom.application: read everything; change events, heads and edges
-- by the functions only, which check what they do; keep its own counts. UPDATE of one column is what FOR UPDATE asks for.
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA event_store FROM PUBLIC;

DO $$
DECLARE
    application text := current_setting('loom.application');
BEGIN
    EXECUTE format('GRANT USAGE ON SCHEMA event_store TO %I', application);
    EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA event_store TO %I', application);
    EXECUTE format('GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA event_store TO %I', application);
    EXECUTE format('GRANT USAGE ON ALL SEQUENCES IN SCHEMA event_store TO %I', application);
    EXECUTE format('GRANT UPDATE (created_at) ON event_store.heads TO %I', application);
    EXECUTE format('GRANT UPDATE (scope) ON event_store.edges TO %I', application);
    EXECUTE format('GRANT UPDATE (one) ON event_store.store TO %I', application);
    EXECUTE format('GRANT INSERT, UPDATE ON event_store.duties TO %I', application);
    EXECUTE format('GRANT INSERT, UPDATE, DELETE ON event_store.refusals, event_store.polls TO %I', application);
    EXECUTE format('GRANT UPDATE (attempts, dead_at), DELETE ON event_store.outbox TO %I', application);
END
$$;
