SELECT * FROM nodes ORDER BY role, instance;
