from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from flows.cluster import Cluster
from loom.clock import ManualClock
from loom.stores.memory import MemoryEventStore
from loom.stores.timer_store import MemoryTimerStore
from loom_event_store.sqlite.store import SqliteEventStore
from loom_timers.store import open_timers


@pytest.fixture(params=["memory", "sqlite"])
async def cluster(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Cluster]:
    """All services over memory, and over SQLite."""
    clock = ManualClock()
    if request.param == "memory":
        cluster = Cluster(MemoryEventStore(clock), MemoryTimerStore(clock), clock)
        await cluster.start()
        yield cluster
        await cluster.stop()
        return
    store = SqliteEventStore.open(tmp_path / "loom.db", clock=clock)
    timers = open_timers(tmp_path / "timers.db", clock=clock)
    cluster = Cluster(store, timers, clock)
    await cluster.start()
    yield cluster
    await cluster.stop()
    timers.close()
    store.close()
