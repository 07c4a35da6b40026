-- $1 schema, $2 number, $3 name, $4 checksum
INSERT INTO loom.migrations (schema, number, name, checksum) VALUES ($1, $2, $3, $4);
