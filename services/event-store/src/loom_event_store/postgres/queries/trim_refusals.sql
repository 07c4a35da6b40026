-- $1 head, $2 kept: the newest of this head
DELETE FROM event_store.refusals
 WHERE head = $1
   AND refusal <= (SELECT refusal FROM event_store.refusals WHERE head = $1 ORDER BY refusal DESC LIMIT 1 OFFSET $2);
