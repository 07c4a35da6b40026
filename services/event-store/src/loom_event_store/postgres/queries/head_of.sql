-- $1 incarnation
SELECT * FROM event_store.heads WHERE incarnation = $1;
