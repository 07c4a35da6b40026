SELECT schema, number, name, checksum FROM loom.migrations ORDER BY schema, number;
