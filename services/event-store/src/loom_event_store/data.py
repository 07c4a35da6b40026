"""The folder that holds what the event store keeps."""

from __future__ import annotations

from loom_event_store.settings import EventStoreSettings
from loom_event_store.sqlite.store import SqliteEventStore


def open_store(settings: EventStoreSettings) -> SqliteEventStore:
    """The store in the folder of the settings, made if need be; whoever opens it closes it."""
    settings.data.mkdir(parents=True, exist_ok=True)
    return SqliteEventStore.open(settings.data / "event-store.db", limits=settings.limits)
