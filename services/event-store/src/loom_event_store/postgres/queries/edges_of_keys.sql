-- $1 incarnations of parents, $2 keys
SELECT edges.*, heads.namespace AS parent_namespace, heads.execution_id AS parent_id
  FROM event_store.heads
  JOIN event_store.edges ON edges.parent_head = heads.head AND edges.parent_incarnation = heads.incarnation
 WHERE (heads.incarnation, edges.child_key) IN (SELECT * FROM unnest($1::bigint[], $2::text[]));
