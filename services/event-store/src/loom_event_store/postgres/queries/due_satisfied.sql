-- $1 after this surrogate, $2 limit: parked on children of which some have ended; the kernel judges whether the rule is
-- met
SELECT * FROM event_store.heads
 WHERE status = 'parked' AND waits @? '$[*] ? (exists(@.child) || exists(@.group))' AND park_seq IS NOT NULL
   AND head > $1
   AND EXISTS (
       SELECT 1 FROM event_store.edges
        WHERE parent_head = heads.head AND parent_incarnation = heads.incarnation AND edges.status <> 'open'
   )
 ORDER BY head LIMIT $2;
