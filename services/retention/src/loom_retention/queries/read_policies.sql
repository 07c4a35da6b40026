SELECT namespace, keep FROM own.policies ORDER BY namespace
