SELECT status, count(*) AS count FROM heads WHERE namespace = :namespace GROUP BY status;
