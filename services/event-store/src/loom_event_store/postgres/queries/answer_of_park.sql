-- $1 head, $2 park_seq
SELECT * FROM event_store.events WHERE head = $1 AND answers_park = $2;
