-- Rows that this service alone writes, all of them hints or records of its own: the application, named by the setting
-- loom.application, may do everything with them, and no DDL.
DO $$
DECLARE
    application text := current_setting('loom.application');
BEGIN
    EXECUTE format('GRANT USAGE ON SCHEMA retention TO %I', application);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA retention TO %I', application);
    EXECUTE format('GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA retention TO %I', application);
END
$$;
