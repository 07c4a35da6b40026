-- one seek a name
WITH RECURSIVE names (name) AS (
    (SELECT min(namespace) FROM event_store.heads)
    UNION ALL
    SELECT (SELECT min(namespace) FROM event_store.heads WHERE namespace > names.name) FROM names
     WHERE names.name IS NOT NULL
)
SELECT name FROM names WHERE name IS NOT NULL ORDER BY name;
