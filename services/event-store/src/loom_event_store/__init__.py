"""The service that keeps every execution and decides every write."""
