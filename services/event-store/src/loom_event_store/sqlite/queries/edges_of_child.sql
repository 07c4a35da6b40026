SELECT edges.*, heads.namespace AS parent_namespace, heads.execution_id AS parent_id
  FROM edges JOIN heads ON heads.head = edges.parent_head
 WHERE edges.child_incarnation = :incarnation AND edges.child_namespace = :namespace AND edges.child_id = :execution_id
 ORDER BY edges.edge;
