-- $1 after this surrogate, $2 limit: children that live on although a parent has ended; what its policy is and whether
-- it is carried out, the kernel judges
SELECT * FROM event_store.heads
 WHERE head > $1 AND status IN ('pending', 'running', 'parked')
   AND incarnation IN (
       SELECT edges.child_incarnation
         FROM event_store.edges JOIN event_store.heads AS parent ON parent.head = edges.parent_head
        WHERE edges.status = 'open' AND edges.close <> 'abandon'
          AND parent.status IN ('completed', 'failed', 'cancelled', 'continued', 'deleted')
   )
 ORDER BY head LIMIT $2;
