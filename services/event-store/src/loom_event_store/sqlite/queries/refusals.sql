-- the one refused last comes last
SELECT * FROM refusals WHERE head = :head ORDER BY rowid;
