SELECT coalesce(max(head), 0) FROM heads;
