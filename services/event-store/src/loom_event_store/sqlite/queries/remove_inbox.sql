DELETE FROM inbox WHERE head = :head;
