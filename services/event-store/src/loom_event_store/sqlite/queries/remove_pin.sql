DELETE FROM pins WHERE head = :head AND owner = :owner;
