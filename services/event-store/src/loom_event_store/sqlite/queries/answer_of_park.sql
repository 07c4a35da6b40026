SELECT * FROM events WHERE head = :head AND answers_park = :park_seq;
