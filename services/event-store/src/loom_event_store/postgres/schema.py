"""The event store's part of a database, for `migrate`."""

from __future__ import annotations

from loom_servicekit.migrations import Schema

SCHEMA = Schema(name="event_store", package="loom_event_store.postgres")
