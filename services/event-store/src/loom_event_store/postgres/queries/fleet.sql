SELECT * FROM event_store.nodes ORDER BY role COLLATE "C", instance;
