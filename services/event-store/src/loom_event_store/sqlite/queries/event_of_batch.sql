SELECT * FROM events WHERE head = :head AND batch_id = :batch_id;
