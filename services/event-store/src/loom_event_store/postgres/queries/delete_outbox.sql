-- $1 ids
DELETE FROM event_store.outbox WHERE id = ANY ($1::bigint[]);
