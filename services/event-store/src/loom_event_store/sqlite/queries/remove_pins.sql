DELETE FROM pins WHERE head = :head;
