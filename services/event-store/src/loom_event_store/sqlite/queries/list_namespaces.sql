-- one seek a name
WITH RECURSIVE names (name) AS (
    SELECT min(namespace) FROM heads
    UNION ALL
    SELECT (SELECT min(namespace) FROM heads WHERE namespace > name) FROM names WHERE name IS NOT NULL
)
SELECT name FROM names WHERE name IS NOT NULL ORDER BY name;
