-- as the function's parameters
SELECT * FROM event_store.park_v1($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16);
