SELECT count(*) FROM inbox WHERE head = :head AND consumed_at_seq IS NULL;
