"""The event store in Postgres: a hot call is one function, everything else the kernel's `decide` under locks."""
