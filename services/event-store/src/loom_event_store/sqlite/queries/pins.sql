SELECT * FROM pins WHERE head = :head ORDER BY rowid;
