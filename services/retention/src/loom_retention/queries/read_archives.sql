-- $1 namespace, $2 execution_id; newest first
SELECT manifest FROM own.archives WHERE namespace = $1 AND execution_id = $2 ORDER BY archived_at DESC
