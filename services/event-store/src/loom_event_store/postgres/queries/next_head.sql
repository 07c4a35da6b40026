-- a surrogate for a new head
SELECT nextval(pg_get_serial_sequence('event_store.heads', 'head'));
