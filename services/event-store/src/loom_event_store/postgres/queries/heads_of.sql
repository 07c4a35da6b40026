-- $1 incarnations
SELECT * FROM event_store.heads WHERE incarnation = ANY ($1::bigint[]);
