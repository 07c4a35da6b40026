INSERT INTO outbox (head, topic, key, body, traceparent, created_at)
VALUES (:head, :topic, :key, :body, :traceparent, :created_at);
