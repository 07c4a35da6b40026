-- $1 head
SELECT fence, min(seq) AS first_seq, max(seq) AS last_seq, count(*) AS count
  FROM event_store.events WHERE head = $1 GROUP BY fence ORDER BY first_seq;
