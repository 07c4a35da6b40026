SELECT * FROM heads WHERE incarnation = :incarnation;
