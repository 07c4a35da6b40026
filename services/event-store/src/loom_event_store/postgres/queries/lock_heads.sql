-- $1 namespaces, $2 ids: waits for whoever writes these heads, then shows what they left, locked in order of `head`
SELECT * FROM event_store.heads
 WHERE (namespace, execution_id) IN (SELECT * FROM unnest($1::text[], $2::text[]))
 ORDER BY head
   FOR UPDATE;
