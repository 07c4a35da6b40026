SELECT * FROM heads WHERE namespace = :namespace AND execution_id = :execution_id;
