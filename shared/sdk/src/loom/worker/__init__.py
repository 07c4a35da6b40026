"""The runtime that a worker process runs."""
