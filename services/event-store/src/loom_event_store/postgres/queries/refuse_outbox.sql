-- $1 ids, $2 how many attempts a hint has; gives the ids of those that have had them
WITH refused AS (
    UPDATE event_store.outbox
       SET attempts = attempts + 1,
           dead_at = CASE WHEN attempts + 1 >= $2 THEN floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint END
     WHERE id = ANY ($1::bigint[]) AND dead_at IS NULL
    RETURNING id, dead_at
)
SELECT id FROM refused WHERE dead_at IS NOT NULL ORDER BY id;
