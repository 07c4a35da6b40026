-- Never the call that waits: blocked waiters and CREATE INDEX CONCURRENTLY wait for each other. The number is ours.
SELECT pg_try_advisory_lock(5572456370018353);
