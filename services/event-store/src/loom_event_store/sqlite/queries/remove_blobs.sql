DELETE FROM blobs WHERE head = :head;
