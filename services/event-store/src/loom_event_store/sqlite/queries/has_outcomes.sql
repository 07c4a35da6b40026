SELECT EXISTS (
    SELECT 1
      FROM heads JOIN edges ON edges.parent_head = heads.head AND edges.parent_incarnation = heads.incarnation
     WHERE heads.incarnation = :parent_incarnation
       AND edges.status <> 'open' AND edges.consumed_at_seq IS NULL AND edges.released = 0
);
