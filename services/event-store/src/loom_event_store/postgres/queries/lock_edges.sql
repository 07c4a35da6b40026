-- $1 incarnations of parents, $2 keys: locked in order of `edge`; read in the next statement
SELECT edges.edge
  FROM event_store.edges
  JOIN event_store.heads ON heads.incarnation = edges.parent_incarnation AND heads.head = edges.parent_head
 WHERE (heads.incarnation, edges.child_key) IN (SELECT * FROM unnest($1::bigint[], $2::text[]))
 ORDER BY edges.edge
   FOR UPDATE OF edges;
