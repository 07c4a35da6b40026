"""The contract of an event store as cases to run."""
