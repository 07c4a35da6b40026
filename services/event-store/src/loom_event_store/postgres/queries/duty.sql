-- $1 name
SELECT * FROM event_store.duties WHERE name = $1;
