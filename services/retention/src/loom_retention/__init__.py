"""The service that archives and deletes what has ended."""
