"""The event store in one SQLite file: the kernel's `decide` over rows. The embedded default."""
