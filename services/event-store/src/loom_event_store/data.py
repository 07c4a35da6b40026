"""Where the event store keeps what it keeps: a file in a folder, or a Postgres database."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from loom_event_store.app import OwnStore
from loom_event_store.settings import EventStoreSettings
from loom_event_store.sqlite.store import SqliteEventStore
from loom_servicekit.app import Service


def open_file_store(settings: EventStoreSettings) -> SqliteEventStore:
    """The store in the folder of the settings, made if need be; whoever opens it closes it."""
    settings.data.mkdir(parents=True, exist_ok=True)
    return SqliteEventStore.open(settings.data / "event-store.db", limits=settings.limits)


@asynccontextmanager
async def open_store(settings: EventStoreSettings) -> AsyncIterator[tuple[OwnStore, tuple[Service, ...]]]:
    """The store of the settings, and what tells whether its database is ready for it. Closed on the way out."""
    if settings.db_url is None:
        store = open_file_store(settings)
        try:
            yield store, ()
        finally:
            store.close()
        return
    from loom_event_store.postgres.schema import SCHEMA
    from loom_event_store.postgres.store import PostgresEventStore
    from loom_servicekit.migrated import migrated_database

    async with migrated_database(settings.db_url, [SCHEMA], pooler=settings.db_pooler) as (database, check):
        over = PostgresEventStore(database, limits=settings.limits)
        try:
            yield over, (check,)
        finally:
            await over.close()
