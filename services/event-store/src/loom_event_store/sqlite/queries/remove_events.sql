DELETE FROM events WHERE head = :head;
