from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from fixtures.event_stores import DatabaseClock, migrated_database
from loom.clock import ManualClock
from loom.stores.timer_store import MemoryTimerStore, TimerStore
from loom_servicekit.postgres import PostgresTables, open_pool
from loom_timers.store import PACKAGE, SqlTimerStore, open_timers


@pytest.fixture(params=["memory", "sqlite", "postgres"])
async def opened(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[tuple[TimerStore, ManualClock]]:
    """Every body of the port, on a clock that moves when told to."""
    async with AsyncExitStack() as stack:
        if request.param == "postgres":
            database = await stack.enter_async_context(migrated_database(request.getfixturevalue("postgres")))
            clock: ManualClock = stack.enter_context(DatabaseClock(database.owner))
            pool = await open_pool(database.application, size=4)
            stack.push_async_callback(pool.close)
            yield SqlTimerStore(PostgresTables(pool, PACKAGE, "timers")), clock
            return
        clock = ManualClock()
        if request.param == "memory":
            yield MemoryTimerStore(clock), clock
            return
        file = open_timers(tmp_path / "timers.db", clock=clock)
        stack.callback(file.close)
        yield file, clock


@pytest.fixture
def timers(opened: tuple[TimerStore, ManualClock]) -> TimerStore:
    """One body."""
    return opened[0]


@pytest.fixture
def clock(opened: tuple[TimerStore, ManualClock]) -> ManualClock:
    """Its clock."""
    return opened[1]
