-- $1 the parent's incarnation
SELECT count(*) AS number FROM (
    SELECT 1
      FROM event_store.heads
      JOIN event_store.edges ON edges.parent_head = heads.head AND edges.parent_incarnation = heads.incarnation
     WHERE heads.incarnation = $1
       AND edges.status <> 'open' AND edges.consumed_at_seq IS NULL AND NOT edges.released
     LIMIT 1
) AS found;
