from collections.abc import Iterator
from pathlib import Path

import pytest

from loom.clock import ManualClock
from loom.stores.memory import MemoryEventStore
from loom_retention.catalogue import Catalogue
from loom_retention.store import open_catalogue


@pytest.fixture
def clock() -> ManualClock:
    """Moves when told to."""
    return ManualClock()


@pytest.fixture
def store(clock: ManualClock) -> MemoryEventStore:
    """Empty, on the test's clock."""
    return MemoryEventStore(clock)


@pytest.fixture
def catalogue(tmp_path: Path) -> Iterator[Catalogue]:
    """Empty, in a file of its own."""
    catalogue = open_catalogue(tmp_path / "retention.db")
    yield catalogue
    catalogue.close()
