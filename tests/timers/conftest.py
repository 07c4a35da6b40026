from collections.abc import Iterator
from pathlib import Path

import pytest

from loom.clock import ManualClock
from loom.stores.timer_store import MemoryTimerStore, TimerStore
from loom_timers.store import open_timers


@pytest.fixture
def clock() -> ManualClock:
    """Moves when told to."""
    return ManualClock()


@pytest.fixture(params=["memory", "sqlite"])
def timers(request: pytest.FixtureRequest, tmp_path: Path, clock: ManualClock) -> Iterator[TimerStore]:
    """Both bodies of the port."""
    if request.param == "memory":
        yield MemoryTimerStore(clock)
        return
    store = open_timers(tmp_path / "timers.db", clock=clock)
    yield store
    store.close()
