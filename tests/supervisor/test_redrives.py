from typing import Any

import httpx
import pytest

from fixtures.wrapped import Wrapped
from flows.cluster import Cluster, Owner, on_child
from loom.client.timers import HttpRedriver
from loom.clock import ManualClock
from loom.errors import LoomError, NotParked, ResumeContended, StoreUnavailable
from loom.ids import ExecutionRef, Incarnation, Sequence
from loom.stores.memory import MemoryEventStore
from loom.stores.timer_store import MemoryTimerStore, Redrive
from loom_servicekit.app import Service, create_app
from loom_supervisor.redrive import ParentRedriver
from loom_supervisor.routes import router


@pytest.fixture
async def cluster() -> Cluster:
    """Nothing runs in it."""
    clock = ManualClock()
    return Cluster(MemoryEventStore(clock), MemoryTimerStore(clock), clock)


@pytest.fixture
async def satisfied(cluster: Cluster) -> Owner:
    """A parent that is parked on a child which has ended."""
    parent = await cluster.start_execution("parent")
    child = await parent.start_child("a")
    await parent.park(on_child("a"))
    await cluster.finish_child(child)
    return parent


async def redrive(store: Any, owner: Owner, *, park_seq: int = 3, incarnation: int | None = None) -> str:
    """Asked over REST, as timers asks."""
    transport = httpx.ASGITransport(create_app([Service(name="s", routers=(router(ParentRedriver(store)),))]))
    redriver = HttpRedriver("http://supervisor", transport=transport, attempts=1)
    execution = ExecutionRef(
        namespace=owner.ref.namespace,
        execution_id=owner.ref.execution_id,
        incarnation=owner.ref.incarnation if incarnation is None else Incarnation(incarnation),
    )
    try:
        call = Redrive(execution=execution, park_seq=Sequence(park_seq), wait_id="wait-a", attempt=1)
        return (await redriver.redrive(call)).result
    finally:
        await redriver.close()


async def test_a_satisfied_parent_is_resumed(cluster: Cluster, satisfied: Owner) -> None:
    """Design 4: derived again from the store, whatever the row remembers."""
    assert await redrive(cluster.store, satisfied) == "done"
    assert await cluster.status("parent") == "runnable"


@pytest.mark.parametrize("other", [{"park_seq": 2}, {"incarnation": 7}])
async def test_another_park_or_incarnation_is_left_alone(cluster: Cluster, satisfied: Owner, other: Any) -> None:
    """I31, I48: noop, and nothing moves."""
    assert await redrive(cluster.store, satisfied, **other) == "noop"
    assert await cluster.status("parent") == "parked"


async def test_a_parent_whose_child_is_at_work_needs_no_redrive(cluster: Cluster) -> None:
    """The child's end will be a trigger of its own."""
    parent = await cluster.start_execution("parent")
    await parent.start_child("a")
    await parent.park(on_child("a"))

    assert await redrive(cluster.store, parent) == "noop"


@pytest.mark.parametrize(("error", "result"), [(ResumeContended(attempts=1), "contended"), (NotParked(), "noop")])
async def test_what_the_resume_says_is_what_timers_hears(
    cluster: Cluster, satisfied: Owner, error: LoomError, result: str
) -> None:
    """I34: contended comes back, a park that was answered does not."""
    assert await redrive(Wrapped(cluster.store, resume=raising(error)), satisfied) == result


async def test_an_outage_is_raised_and_counts_as_contended_there(cluster: Cluster, satisfied: Owner) -> None:
    """Design 4: one that throws counts as contended; the row stays."""
    with pytest.raises(StoreUnavailable):
        await redrive(Wrapped(cluster.store, read_park=raising(StoreUnavailable("down"))), satisfied)


def raising(error: LoomError) -> Any:
    """A call that fails."""

    async def call(_: Any) -> Any:
        raise error

    return call
