SELECT namespace, keep FROM policies ORDER BY namespace
