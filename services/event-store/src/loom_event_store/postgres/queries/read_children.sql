-- $1 the parent's incarnation, $2 after, $3 limit: in the order of their making; `after` null, or a key that is not
-- there, begins at the first
SELECT edges.*, heads.namespace AS parent_namespace, heads.execution_id AS parent_id
  FROM event_store.heads
  JOIN event_store.edges ON edges.parent_head = heads.head AND edges.parent_incarnation = heads.incarnation
 WHERE heads.incarnation = $1
   AND edges.edge > coalesce((
       SELECT last.edge FROM event_store.edges AS last
        WHERE last.parent_head = heads.head AND last.parent_incarnation = heads.incarnation AND last.child_key = $2
   ), 0)
 ORDER BY edges.edge LIMIT $3;
