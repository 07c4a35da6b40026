from random import Random
from typing import Any

import pytest

from flows.cluster import Cluster, on_group, on_timer
from loom.clock import ManualClock
from loom.errors import Busy, LoomError, ResumeContended, StoreUnavailable
from loom.ids import ExecutionRef
from loom.kernel.hints import ChildDone, ExecutionParked
from loom.stores.memory import MemoryEventStore
from loom.stores.timer_store import MemoryTimerStore

PARENTS = 6


class Weather:
    """Calls fail now and then, hints are lost, repeated and turned round; `clear` ends all that."""

    def __init__(self, cluster: Cluster, rng: Random) -> None:
        self.cluster = cluster
        self.rng = rng
        self.bad = True
        for name in ("resume", "read_park", "list_due", "take_duty"):
            self._trouble(cluster.store, name, StoreUnavailable("down"), ResumeContended(attempts=1), Busy())
        for name in ("schedule", "claim_due", "retire", "retire_passed"):
            self._trouble(cluster.timers, name, StoreUnavailable("timers is down"))

    def _trouble(self, store: Any, name: str, *errors: LoomError) -> None:
        act = getattr(store, name)

        async def call(call: Any) -> Any:
            before, after = self.rng.random() < 0.2, self.rng.random() < 0.1
            if self.bad and before:
                raise self.rng.choice(errors)
            answer = await act(call)
            if self.bad and after:
                raise StoreUnavailable("the answer was lost")
            return answer

        store.replaced[name] = call

    def change(self) -> None:
        bus = self.cluster.bus
        bus.lost = tuple(self.rng.sample((ChildDone, ExecutionParked), self.rng.choice((0, 0, 1, 2))))
        bus.copies, bus.reverse = self.rng.choice((1, 1, 3)), self.rng.random() < 0.3

    def clear(self) -> None:
        self.bad = False
        self.cluster.bus.lost, self.cluster.bus.copies = (), 1


@pytest.mark.parametrize("seed", range(15))
async def test_whatever_the_bus_and_the_services_go_through_every_met_wait_is_answered_once(seed: int) -> None:
    """I38, I32, I42, I9: repeats, reordering, loss, outages of store and timers, lost answers; then fair weather."""
    ends = await live_through(seed)

    assert ends == [("runnable", 1, 1)] * PARENTS


async def test_without_sweeps_some_of_them_are_lost() -> None:
    """Negative control for the rule above: the same weather, and nobody looks but those who were told."""
    ends = [end for seed in range(15) for end in await live_through(seed, sweeping=False)]

    assert ("parked", 1, 0) in ends


async def live_through(seed: int, *, sweeping: bool = True) -> list[tuple[str, int, int]]:
    """For each parent its status, its parks and their answers, when the weather is fair again."""
    clock, rng = ManualClock(), Random(seed)
    cluster = Cluster(MemoryEventStore(clock, rng=Random(seed)), MemoryTimerStore(clock), clock)
    await cluster.start()
    weather = Weather(cluster, rng)
    parents = [await begin(cluster, number) for number in range(PARENTS)]
    todo = [child for children in parents for child in children]
    rng.shuffle(todo)
    while todo:
        weather.change()
        await act(cluster, rng, todo, sweeping)
    weather.clear()
    for _ in range(3):
        clock.advance(60_000)
        await cluster.deliver()
        await cluster.fire()
        if sweeping:
            await cluster.sweep()
    await cluster.stop()
    return [await end_of(cluster, f"parent-{number}") for number in range(PARENTS)]


async def end_of(cluster: Cluster, execution_id: str) -> tuple[str, int, int]:
    """Status, parks, answers."""
    kinds = await cluster.kinds(execution_id)
    return await cluster.status(execution_id), kinds.count("SUSPENDED"), kinds.count("RESUMED")


async def begin(cluster: Cluster, number: int) -> list[ExecutionRef]:
    """A parent of three children; every third one sleeps instead of waiting for them."""
    owner = await cluster.start_execution(f"parent-{number}")
    children = [await owner.start_child(key) for key in "abc"]
    await owner.park(on_timer(30_000) if number % 3 == 0 else on_group(*"abc"))
    return children


async def act(cluster: Cluster, rng: Random, todo: list[ExecutionRef], sweeping: bool) -> None:
    """One thing happens; what fails is tried again another time."""
    cluster.clock.advance(rng.randrange(5_000))
    try:
        match rng.randrange(4):
            case 0:
                await cluster.finish_child(todo.pop())
            case 1:
                await cluster.deliver()
            case 2:
                await cluster.fire()
            case 3 if sweeping:
                await cluster.sweep()
    except LoomError:
        return
