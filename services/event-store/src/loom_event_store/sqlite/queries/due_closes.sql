-- children that live on although a parent has ended; what its policy is and whether it is carried out, the kernel judges
SELECT * FROM heads
 WHERE head > :after AND status IN ('pending', 'running', 'parked')
   AND incarnation IN (
       SELECT edges.child_incarnation
         FROM edges INDEXED BY edges_closing JOIN heads AS parent ON parent.head = edges.parent_head
        WHERE edges.status = 'open' AND edges.close <> 'abandon'
          AND parent.status IN ('completed', 'failed', 'cancelled', 'continued', 'deleted')
   )
 ORDER BY head LIMIT :limit;
