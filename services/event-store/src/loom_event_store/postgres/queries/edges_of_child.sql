-- $1 the child's incarnation, $2 namespace, $3 id
SELECT edges.*, heads.namespace AS parent_namespace, heads.execution_id AS parent_id
  FROM event_store.edges
  JOIN event_store.heads ON heads.head = edges.parent_head
 WHERE edges.child_incarnation = $1 AND edges.child_namespace = $2 AND edges.child_id = $3
 ORDER BY edges.edge;
