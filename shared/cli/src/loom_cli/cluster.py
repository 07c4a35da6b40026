"""All four services over one folder, or one database: the only place that knows them all. Each is wired as alone."""

from __future__ import annotations

from collections.abc import AsyncIterator, Container, Mapping
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path

from loom.stores.timer_store import TimerStore
from loom_event_store.app import OwnStore
from loom_event_store.app import build_service as build_event_store
from loom_event_store.data import open_file_store
from loom_event_store.settings import EventStoreSettings
from loom_retention.app import build_service as build_retention
from loom_retention.catalogue import Catalogue
from loom_retention.data import open_catalogue_file
from loom_retention.settings import RetentionSettings
from loom_servicekit.app import Service
from loom_servicekit.bus.in_process import InProcessBus
from loom_servicekit.settings import read_settings
from loom_supervisor.app import build_redriver
from loom_supervisor.app import build_service as build_supervisor
from loom_supervisor.settings import SupervisorSettings
from loom_timers.app import build_service as build_timers
from loom_timers.data import open_timer_file
from loom_timers.settings import TimersSettings

OWNER = "loom-dev"
"""Of every duty. Who holds the folder or the database knows that an earlier one of this name is dead: it waits for
nobody."""

Cluster = tuple[Service, ...]


@dataclass(frozen=True, slots=True)
class _Settings:
    event_store: EventStoreSettings
    supervisor: SupervisorSettings
    timers: TimersSettings
    retention: RetentionSettings


@dataclass(frozen=True, slots=True)
class _Stores:
    store: OwnStore
    timers: TimerStore
    catalogue: Catalogue
    checks: tuple[Service, ...] = ()


@asynccontextmanager
async def open_cluster(
    data: Path, environ: Mapping[str, str], only: Container[str], postgres: str | None = None
) -> AsyncIterator[Cluster]:
    """The services over the files in `data`, which are made if need be and closed afterwards; or over the database
    whose owner's URL is `postgres`, which is migrated if need be and held against others. `only` those so named.

    Raises a MigrationFault, DatabaseHeld.

    The services speak to the event store and to timers through their ports, which here lead to the stores themselves.
    The event store is the last: whoever hears its hints is there when it starts to publish, and still when it stops.
    """
    settings = _read({**environ, "LOOM_DATA": str(data), "LOOM_HOST": "127.0.0.1"})  # where to listen: the caller's
    async with _in_files(settings) if postgres is None else _in_postgres(postgres, settings) as stores:
        yield *stores.checks, *(service for service in _services(settings, stores) if service.name in only)


def _read(environ: Mapping[str, str]) -> _Settings:
    return _Settings(
        read_settings(EventStoreSettings, environ),
        read_settings(SupervisorSettings, environ),
        read_settings(TimersSettings, environ),
        read_settings(RetentionSettings, environ),
    )


@asynccontextmanager
async def _in_files(settings: _Settings) -> AsyncIterator[_Stores]:
    with (
        closing(open_file_store(settings.event_store)) as store,
        closing(open_timer_file(settings.timers)) as timers,
        closing(open_catalogue_file(settings.retention)) as catalogue,
    ):
        yield _Stores(store, timers, catalogue)


@asynccontextmanager
async def _in_postgres(url: str, settings: _Settings) -> AsyncIterator[_Stores]:
    """The drivers are loaded here: a `loom dev` on files has no need of them."""
    from loom_cli.migrate import SCHEMAS
    from loom_event_store.postgres.store import PostgresEventStore
    from loom_retention import store as retention
    from loom_servicekit.migrated import migrated_database
    from loom_servicekit.migrations import migrate
    from loom_servicekit.postgres import PostgresTables, hold_database
    from loom_timers import store as timers

    await migrate(url, SCHEMAS, application=None)
    async with hold_database(url), migrated_database(url, SCHEMAS) as (database, check):
        store = PostgresEventStore(database, limits=settings.event_store.limits)
        try:
            yield _Stores(
                store,
                timers.SqlTimerStore(PostgresTables(database, timers.PACKAGE, "timers")),
                retention.SqlCatalogue(PostgresTables(database, retention.PACKAGE, "retention")),
                (check,),
            )
        finally:
            await store.close()


def _services(settings: _Settings, at: _Stores) -> Cluster:
    bus, store, timers = InProcessBus(), at.store, at.timers
    redrivers = [build_redriver(store)]
    return (
        build_supervisor(settings.supervisor, store=store, timers=timers, bus=bus, owner=OWNER),
        build_timers(settings.timers, store=store, timers=timers, bus=bus, redrivers=redrivers, owner=OWNER),
        build_retention(settings.retention, store=store, catalogue=at.catalogue, owner=OWNER),
        build_event_store(settings.event_store, store=store, bus=bus, owner=OWNER),
    )
