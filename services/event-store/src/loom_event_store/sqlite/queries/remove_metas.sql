DELETE FROM metas WHERE head = :head;
