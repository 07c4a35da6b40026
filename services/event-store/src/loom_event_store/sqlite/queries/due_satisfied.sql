-- parked on children of which some have ended: whether the rule is met is judged by the kernel
SELECT * FROM heads INDEXED BY heads_awaiting_children
 WHERE status = 'parked' AND (instr(waits, '"child":') OR instr(waits, '"group":')) AND park_seq IS NOT NULL
   AND head > :after
   AND EXISTS (
       SELECT 1 FROM edges
        WHERE parent_head = heads.head AND parent_incarnation = heads.incarnation AND edges.status <> 'open'
   )
 ORDER BY head LIMIT :limit;
