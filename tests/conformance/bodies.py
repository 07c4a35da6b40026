"""The bodies of the contract that run here, each on a clock of its own and with limits that a case can reach."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx

from dumps.keeping import restore_sqlite, restored
from fixtures.event_stores import DatabaseClock, EventStoreDatabase, migrated_database
from fixtures.pgbouncer import running_pgbouncer
from fixtures.postgres import running_postgres
from loom.client.event_store import HttpEventStore
from loom.clock import ManualClock
from loom.kernel.hints import Envelope
from loom.kernel.limits import Limits
from loom.stores.event_store import Outbox
from loom.stores.memory import MemoryEventStore
from loom.stores.timer_store import MemoryTimerStore
from loom_cli.migrate import SCHEMAS
from loom_conformance import Subject
from loom_event_store.app import build_service
from loom_event_store.postgres.store import PostgresEventStore
from loom_event_store.settings import EventStoreSettings
from loom_event_store.sqlite.store import SqliteEventStore
from loom_servicekit.app import create_app
from loom_servicekit.bus.in_process import InProcessBus
from loom_servicekit.bus.port import Outcome
from loom_servicekit.migrations import APPLICATION, migrate
from loom_servicekit.postgres import PostgresTables, open_pool
from loom_timers.store import PACKAGE, SqlTimerStore, open_timers

LIMITS = Limits(log_events=900, log_reserved=100, inbox_waiting=50, children_open=320)
EVERYTHING = 10**6
"""More rows than any run leaves in an outbox."""


def memory_subject() -> Subject:
    """A store in memory, new."""
    clock = ManualClock()
    store = MemoryEventStore(clock, limits=LIMITS)
    return Subject(
        name="memory",
        store=store,
        clock=clock,
        hook=store,
        timers=MemoryTimerStore(clock),
        traced=True,
        told=outbox_of(store),
    )


@asynccontextmanager
async def memory(folder: Path) -> AsyncIterator[Subject]:
    """Memory, the oracle."""
    yield memory_subject()


@asynccontextmanager
async def sqlite(folder: Path, began_at: int | None = None) -> AsyncIterator[Subject]:
    """A file; `reopen` closes it and opens it again. Its clock begins at `began_at`, for one that has seen time."""
    clock = ManualClock() if began_at is None else ManualClock(began_at)
    opened: list[SqliteEventStore] = []

    def open_store() -> SqliteEventStore:
        opened.append(SqliteEventStore.open(folder / "events.sqlite", clock=clock, limits=LIMITS))
        return opened[-1]

    async def reopen() -> SqliteEventStore:
        return open_store()

    store, timers = open_store(), open_timers(folder / "timers.sqlite", clock)
    try:
        yield Subject(
            name="sqlite",
            store=store,
            clock=clock,
            hook=store,
            timers=timers,
            reopen=reopen,
            traced=True,
            told=outbox_of(store),
        )
    finally:
        timers.close()
        for each in opened:
            each.close()


@asynccontextmanager
async def over_http(name: str, behind: Subject) -> AsyncIterator[Subject]:
    """The event-store service in this process, over a store whose hook, clock and timers stay reachable."""
    bus = RecordingBus()

    async def told() -> tuple[Envelope, ...]:
        """What waits for the relay, and what it has taken: a row that goes meanwhile is in both."""
        assert behind.told is not None
        return (*await behind.told(), *bus.published)

    async with AsyncExitStack() as stack:

        async def serve(store: Any) -> HttpEventStore:
            return await stack.enter_async_context(served(store, bus))

        async def reopen() -> HttpEventStore:
            return await serve(await behind.reopen() if behind.reopen else behind.store)

        yield replace(behind, name=name, store=await serve(behind.store), reopen=reopen, told=told)


class RecordingBus(InProcessBus):
    """Remembers what went over it."""

    def __init__(self) -> None:
        super().__init__()
        self.published: list[Envelope] = []

    async def publish(self, envelopes: Sequence[Envelope], *, within_s: float) -> tuple[Outcome, ...]:
        self.published += envelopes
        return await super().publish(envelopes, within_s=within_s)


def outbox_of(store: Outbox) -> Callable[[], Awaitable[tuple[Envelope, ...]]]:
    """What nobody relays."""

    async def told() -> tuple[Envelope, ...]:
        return tuple(envelope for _, envelope in await store.read_outbox(0, EVERYTHING))

    return told


@asynccontextmanager
async def served(store: Any, bus: InProcessBus | None = None) -> AsyncIterator[HttpEventStore]:
    """A client of the service over `store`, through the ASGI transport."""
    service = build_service(EventStoreSettings(limits=LIMITS), store=store, bus=bus or InProcessBus())
    app = create_app([service])
    async with app.router.lifespan_context(app):
        client = HttpEventStore("http://loom", transport=httpx.ASGITransport(app), attempts=1)
        try:
            yield client
        finally:
            await client.close()


@asynccontextmanager
async def postgres(folder: Path) -> AsyncIterator[Subject]:
    """A database on a server of its own; `reopen` opens the pool again. Only the hook writes as the owner."""
    with running_postgres() as server:
        async with migrated_database(server) as database, on_postgres("postgres", database) as subject:
            yield subject


@asynccontextmanager
async def on_postgres(name: str, database: EventStoreDatabase, **options: Any) -> AsyncIterator[Subject]:
    """The store on this database."""
    clock = DatabaseClock(database.owner)
    opened: list[PostgresEventStore] = []

    async def open_store(url: str = database.application, **given: Any) -> PostgresEventStore:
        opened.append(await PostgresEventStore.open(url, size=4, limits=LIMITS, **given))
        return opened[-1]

    pool = await open_pool(database.application, size=2, **options)
    timers = SqlTimerStore(PostgresTables(pool, PACKAGE, "timers"))
    try:
        store, hook = await open_store(**options), await open_store(database.owner)
        yield Subject(
            name=name,
            store=store,
            clock=clock,
            hook=hook,
            timers=timers,
            reopen=lambda: open_store(**options),
            traced=True,
            told=outbox_of(store),
        )
    finally:
        for each in opened:
            await each.close()
        await pool.close()
        clock.close()


@asynccontextmanager
async def upgraded_postgres(dump: Path) -> AsyncIterator[Subject]:
    """A database of an earlier release, with rows in every table, and `loom migrate` on it."""
    with running_postgres() as server:
        async with restored(server, dump) as name:
            owner = server.database_url(name)
            await migrate(owner, SCHEMAS)
            database = EventStoreDatabase(owner, server.database_url(name, APPLICATION), name)
            async with on_postgres(f"postgres from {dump.stem}", database) as subject:
                yield subject


@asynccontextmanager
async def upgraded_sqlite(dump: Path, folder: Path) -> AsyncIterator[Subject]:
    """A file of an earlier release, with rows in every table."""
    seen_at = restore_sqlite(dump, folder / "events.sqlite")
    async with sqlite(folder, began_at=seen_at) as subject:
        yield replace(subject, name=f"sqlite from {dump.stem}")


@asynccontextmanager
async def pooled(name: str, isolation: str) -> AsyncIterator[Subject]:
    """Behind a pooler that gives each transaction one of two connections, where another isolation is the default."""
    with running_postgres() as server, running_pgbouncer(server, APPLICATION, size=2) as pooler:
        async with migrated_database(server) as database:
            await server.set_isolation(database.name, isolation)
            behind = replace(database, application=f"{pooler}/{database.name}")
            async with on_postgres(name, behind, pooler="transaction") as subject:
                yield subject


@asynccontextmanager
async def postgres_pgbouncer(folder: Path) -> AsyncIterator[Subject]:
    """The role's settings hold against REPEATABLE READ."""
    async with pooled("postgres-pgbouncer", "repeatable read") as subject:
        yield subject


@asynccontextmanager
async def postgres_serializable(folder: Path) -> AsyncIterator[Subject]:
    """And against SERIALIZABLE."""
    async with pooled("postgres-serializable", "serializable") as subject:
        yield subject


@asynccontextmanager
async def http_postgres(folder: Path) -> AsyncIterator[Subject]:
    """HTTP over a database."""
    async with postgres(folder) as behind, over_http("http-postgres", behind) as subject:
        yield subject


@asynccontextmanager
async def http_memory(folder: Path) -> AsyncIterator[Subject]:
    """HTTP over memory."""
    async with memory(folder) as behind, over_http("http-memory", behind) as subject:
        yield subject


@asynccontextmanager
async def http_sqlite(folder: Path) -> AsyncIterator[Subject]:
    """HTTP over a file."""
    async with sqlite(folder) as behind, over_http("http-sqlite", behind) as subject:
        yield subject


BODIES: dict[str, Callable[[Path], AbstractAsyncContextManager[Subject]]] = {
    "memory": memory,
    "sqlite": sqlite,
    "postgres": postgres,
    "postgres-pgbouncer": postgres_pgbouncer,
    "postgres-serializable": postgres_serializable,
    "http-memory": http_memory,
    "http-sqlite": http_sqlite,
    "http-postgres": http_postgres,
}
