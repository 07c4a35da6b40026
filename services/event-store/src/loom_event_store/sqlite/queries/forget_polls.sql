DELETE FROM polls WHERE seen_at < :before;
