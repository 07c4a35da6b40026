SELECT event_store.epoch() AS epoch, features,
       (SELECT max(number) FROM loom.migrations WHERE schema = 'event_store') AS schema_version
  FROM event_store.store;
