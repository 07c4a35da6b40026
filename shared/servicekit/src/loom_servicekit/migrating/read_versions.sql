SELECT schema, max(number) AS number FROM loom.migrations GROUP BY schema;
