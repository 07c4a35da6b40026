DELETE FROM nodes WHERE seen_at < :since;
