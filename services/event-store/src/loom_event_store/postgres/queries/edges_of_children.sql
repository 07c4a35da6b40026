-- $1 incarnations of children
SELECT edges.*, heads.namespace AS parent_namespace, heads.execution_id AS parent_id
  FROM event_store.edges
  JOIN event_store.heads ON heads.head = edges.parent_head
 WHERE edges.child_incarnation = ANY ($1::bigint[])
 ORDER BY edges.edge;
