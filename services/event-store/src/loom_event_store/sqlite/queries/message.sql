SELECT * FROM inbox WHERE head = :head AND message_id = :message_id;
