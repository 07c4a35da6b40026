-- as the function's parameters
SELECT * FROM event_store.release_v1($1, $2, $3, $4, $5, $6, $7);
