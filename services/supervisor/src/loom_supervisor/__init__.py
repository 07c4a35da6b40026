"""The service that wakes parents whose children settled."""
