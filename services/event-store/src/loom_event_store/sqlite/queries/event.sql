SELECT * FROM events WHERE head = :head AND seq = :seq;
