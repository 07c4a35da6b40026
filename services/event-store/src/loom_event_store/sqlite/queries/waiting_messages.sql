SELECT count(*) FROM inbox INDEXED BY inbox_waiting WHERE head = :head AND consumed_at_seq IS NULL;
