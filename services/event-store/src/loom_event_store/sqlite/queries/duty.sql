SELECT * FROM duties WHERE name = :name;
