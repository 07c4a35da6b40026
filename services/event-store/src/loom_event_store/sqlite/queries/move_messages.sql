-- what waits, and what was consumed since; the rest stays with the log that consumed it
UPDATE inbox SET head = :to WHERE head = :head AND (consumed_at IS NULL OR consumed_at >= :consumed_since);
