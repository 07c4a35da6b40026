-- $1 the parent's incarnation, $2 key
SELECT edges.*, heads.namespace AS parent_namespace, heads.execution_id AS parent_id
  FROM event_store.heads
  JOIN event_store.edges ON edges.parent_head = heads.head AND edges.parent_incarnation = heads.incarnation
 WHERE heads.incarnation = $1 AND edges.child_key = $2;
