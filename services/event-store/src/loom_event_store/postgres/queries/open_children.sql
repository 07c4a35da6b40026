-- $1 the parent's incarnation
SELECT count(*) AS number
  FROM event_store.heads
  JOIN event_store.edges ON edges.parent_head = heads.head AND edges.parent_incarnation = heads.incarnation
 WHERE heads.incarnation = $1 AND edges.status = 'open';
