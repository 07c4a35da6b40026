DELETE FROM grants WHERE head = :head;
