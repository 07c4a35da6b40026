"""The service that wakes executions on time and tries again what was contended."""
