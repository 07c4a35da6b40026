DELETE FROM refusals WHERE head = :head;
