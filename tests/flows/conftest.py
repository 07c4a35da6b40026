from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from flows.cluster import Cluster
from loom.clock import ManualClock
from loom.stores.memory import MemoryEventStore
from loom.stores.timer_store import MemoryTimerStore
from loom_event_store.sqlite.store import SqliteEventStore
from loom_timers.store import open_timers


@pytest.fixture(params=["memory", "memory over rest", "sqlite"])
async def cluster(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Cluster]:
    """All services over memory, over memory as each runs alone, and over SQLite."""
    clock = ManualClock()
    if request.param != "sqlite":
        cluster = Cluster(MemoryEventStore(clock), MemoryTimerStore(clock), clock, rest="rest" in request.param)
        await cluster.start()
        yield cluster
        await cluster.stop()
        return
    with (
        closing(SqliteEventStore.open(tmp_path / "loom.db", clock=clock)) as store,
        closing(open_timers(tmp_path / "timers.db", clock=clock)) as timers,
    ):
        cluster = Cluster(store, timers, clock)
        await cluster.start()
        yield cluster
        await cluster.stop()
