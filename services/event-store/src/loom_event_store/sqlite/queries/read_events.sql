SELECT * FROM events WHERE head = :head AND seq >= :from_seq ORDER BY seq LIMIT :limit;
