"""Where timers keeps its rows: a file in a folder, or a Postgres database."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from loom.stores.timer_store import TimerStore
from loom_servicekit.app import Service
from loom_timers.settings import TimersSettings
from loom_timers.store import PACKAGE, SqliteTimerStore, SqlTimerStore, open_timers


def open_timer_file(settings: TimersSettings) -> SqliteTimerStore:
    """The store in the folder of the settings, made if need be; whoever opens it closes it."""
    settings.data.mkdir(parents=True, exist_ok=True)
    return open_timers(settings.file)


@asynccontextmanager
async def open_timer_store(settings: TimersSettings) -> AsyncIterator[tuple[TimerStore, tuple[Service, ...]]]:
    """The store of the settings, and what tells whether its database is ready for it. Closed on the way out."""
    if settings.db_url is None:
        timers = open_timer_file(settings)
        try:
            yield timers, ()
        finally:
            timers.close()
        return
    from loom_servicekit.migrated import migrated_database
    from loom_servicekit.postgres import PostgresTables
    from loom_timers.schema import SCHEMA

    async with migrated_database(settings.db_url, [SCHEMA], pooler=settings.db_pooler) as (database, check):
        yield SqlTimerStore(PostgresTables(database, PACKAGE, SCHEMA.name)), (check,)
