SELECT coalesce(max(inbox_seq), 0) FROM inbox WHERE head = :head;
