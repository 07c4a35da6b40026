DELETE FROM edges WHERE parent_head = :head AND parent_incarnation = :parent_incarnation;
