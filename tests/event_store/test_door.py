from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from fixtures.event_stores import DatabaseClock, migrated_database
from fixtures.postgres import Postgres
from loom.clock import ManualClock
from loom.kernel.limits import Limits
from loom.stores.memory import MemoryEventStore
from loom_conformance.door import Row, closing_line, run_door
from loom_conformance.inputs import INPUTS
from loom_event_store.app import OwnStore, build_service
from loom_event_store.postgres.store import PostgresEventStore
from loom_event_store.settings import EventStoreSettings
from loom_event_store.sqlite.store import SqliteEventStore
from loom_servicekit.app import create_app
from loom_servicekit.bus.in_process import InProcessBus

LIMITS = Limits(inbox_waiting=20)
RAISED = Limits(
    event_bytes=8 << 20,
    append_events=1_000,
    append_bytes=64 << 20,
    result_bytes=8 << 20,
    inbox_waiting=100,
    lease_min_ms=1,
    lease_max_ms=10**12,
    duration_max_ms=10**14,
    depth_carried=20_000,
)


async def rows_of(
    limits: Limits, over: Limits | None = None, lie: bool = False, file: Path | None = None
) -> tuple[Row, ...]:
    """The door of a server with these limits, in memory or on a file."""
    clock = ManualClock()
    store: OwnStore = MemoryEventStore(clock, limits=limits)
    if file is not None:
        store = SqliteEventStore.open(file, clock=clock, limits=limits)
    try:
        return await knock(store, clock, limits, over, lie)
    finally:
        if isinstance(store, SqliteEventStore):
            store.close()


async def knock(store: OwnStore, clock: ManualClock, limits: Limits, over: Limits | None, lie: bool) -> tuple[Row, ...]:
    """Every input, at the service over this store."""
    app = create_app([build_service(EventStoreSettings(limits=limits), store=store, bus=InProcessBus())])
    transport = httpx.ASGITransport(app)
    return await run_door("http://loom", transport=Liar(transport) if lie else transport, clock=clock, limits=over)


class Liar(httpx.AsyncBaseTransport):
    """Says that the body was malformed where it was a limit."""

    def __init__(self, honest: httpx.AsyncBaseTransport) -> None:
        self.honest = honest

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The honest answer, with 400 for 413."""
        answer = await self.honest.handle_async_request(request)
        answer.status_code = 400 if answer.status_code == 413 else answer.status_code
        return answer


def differing(rows: tuple[Row, ...]) -> list[str]:
    """The rows that differ, as printed."""
    return [str(row) for row in rows if not row.passed]


async def test_bad_input_gets_its_problem_and_stores_nothing() -> None:
    """Design 5: never 500, and nothing is stored; what is carried comes back byte for byte (I4, A4)."""
    rows = await rows_of(LIMITS)

    assert differing(rows) == []
    assert closing_line(rows) == f"door {len(INPUTS)}/{len(INPUTS)}"
    assert len(rows) >= 100


async def test_the_door_of_a_store_on_a_file_is_the_same(tmp_path: Path) -> None:
    """Design 3: one contract, whatever keeps the rows."""
    assert differing(await rows_of(LIMITS, file=tmp_path / "door.db")) == []


async def test_the_door_of_a_database_is_the_same(postgres: Postgres) -> None:
    """Design 3: one contract; what Postgres' text and jsonb refuse never gets that far."""
    async with migrated_database(postgres) as database:
        clock = DatabaseClock(database.owner)
        store = await PostgresEventStore.open(database.application, size=2, limits=LIMITS)
        try:
            rows = await knock(store, clock, LIMITS, None, lie=False)
        finally:
            await store.close()
            clock.close()

    assert differing(rows) == []


async def test_a_server_with_raised_limits_takes_what_a_limit_refused() -> None:
    """Bad input: a row tests the limit and not the parser."""
    rows = await rows_of(RAISED, over=LIMITS)

    assert differing(rows) == []
    assert sum(row.expected == row.input.taken for row in rows) == sum(tried.taken is not None for tried in INPUTS)


async def test_a_row_that_differs_is_told() -> None:
    """A check that no fault can turn red checks nothing."""
    rows = await rows_of(LIMITS, lie=True)

    told = differing(rows)
    assert len(told) >= 7
    assert all("413 too-large · 400 too-large" in row and row.endswith("<-- differs") for row in told)


@pytest.mark.parametrize("stores", [0, 2])
def test_a_row_whose_log_moved_otherwise_differs(stores: int) -> None:
    """A refusal stores nothing; what is taken stores what it says."""
    refused = next(tried for tried in INPUTS if tried.refused == (400, "invalid"))
    taken = next(tried for tried in INPUTS if tried.refused == (201, "same bytes"))

    assert Row(refused, (400, "invalid"), (400, "invalid"), 1, 1).passed
    assert not Row(refused, (400, "invalid"), (400, "invalid"), 1, 2).passed
    assert Row(taken, taken.refused, taken.refused, 1, 2).passed
    assert not Row(taken, taken.refused, taken.refused, 1, 1 + stores).passed
