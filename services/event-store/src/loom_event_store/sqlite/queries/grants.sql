SELECT * FROM grants WHERE head = :head ORDER BY token;
