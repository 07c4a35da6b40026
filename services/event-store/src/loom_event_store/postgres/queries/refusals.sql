-- $1 head: the one refused last comes last
SELECT * FROM event_store.refusals WHERE head = $1 ORDER BY refusal;
