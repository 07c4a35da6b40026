-- $1 namespace
DELETE FROM own.policies WHERE namespace = $1
