SELECT fence, min(seq) AS first_seq, max(seq) AS last_seq, count(*) AS count
  FROM events WHERE head = :head GROUP BY fence ORDER BY first_seq;
