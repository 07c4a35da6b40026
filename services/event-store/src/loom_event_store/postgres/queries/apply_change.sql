-- $1 rows as JSON, $2 now
SELECT event_store.apply_change_v1($1::jsonb, $2);
