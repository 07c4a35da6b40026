-- in the order of their making; :after null, or a key that is not there, begins at the first
SELECT edges.*, heads.namespace AS parent_namespace, heads.execution_id AS parent_id
  FROM heads JOIN edges INDEXED BY edges_in_order ON edges.parent_head = heads.head AND edges.parent_incarnation = heads.incarnation
 WHERE heads.head = :head
   AND edges.edge > coalesce((
       SELECT edge FROM edges AS last
        WHERE last.parent_head = heads.head AND last.parent_incarnation = heads.incarnation AND last.child_key = :after
   ), 0)
 ORDER BY edges.edge LIMIT :limit;
