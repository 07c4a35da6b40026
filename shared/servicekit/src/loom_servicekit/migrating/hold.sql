-- For as long as the connection lives. The number is ours.
SELECT pg_try_advisory_lock(5572456370018354);
