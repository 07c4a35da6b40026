INSERT INTO outbox (head, topic, key, body, created_at) VALUES (:head, :topic, :key, :body, :created_at);
