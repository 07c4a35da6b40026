SELECT count(*)
  FROM heads JOIN edges ON edges.parent_head = heads.head AND edges.parent_incarnation = heads.incarnation
 WHERE heads.incarnation = :parent_incarnation AND edges.status = 'open';
