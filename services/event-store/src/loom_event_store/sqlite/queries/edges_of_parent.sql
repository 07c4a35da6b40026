SELECT edges.*, heads.namespace AS parent_namespace, heads.execution_id AS parent_id
  FROM heads JOIN edges INDEXED BY edges_in_order ON edges.parent_head = heads.head AND edges.parent_incarnation = heads.incarnation
 WHERE heads.incarnation = :parent_incarnation
 ORDER BY edges.edge;
