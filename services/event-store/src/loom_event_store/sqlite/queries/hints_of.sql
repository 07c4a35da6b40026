SELECT count(*) FROM outbox WHERE head = :head;
