-- $1 namespace
DELETE FROM policies WHERE namespace = $1
