from dataclasses import replace
from random import Random

import pytest

from flows.cluster import Cluster, Owner, on_message, on_timer, until
from loom.clock import ManualClock
from loom.errors import ResumeContended
from loom.ids import ExecutionId
from loom.kernel.calls import Delete, Send, Start, Terminate
from loom.kernel.hints import ExecutionParked
from loom.stores.memory import MemoryEventStore
from loom.stores.timer_store import MemoryTimerStore, Retire
from loom_timers.firing import Firing, Later, Over


async def sleeper(cluster: Cluster, delay_ms: int = 1_000) -> None:
    """An execution that sleeps."""
    owner = await cluster.start_execution("sleeper")
    await owner.park(on_timer(delay_ms))
    await cluster.deliver()


async def test_a_timer_fires_by_its_row_and_not_before_its_time(cluster: Cluster) -> None:
    """I32, I36: the park's hint made a row; it goes when the park is answered."""
    await sleeper(cluster)
    assert [row.key.wait_id for row in await cluster.rows("sleeper")] == ["sleep"]
    cluster.clock.advance(999)
    await cluster.fire()
    assert await cluster.status("sleeper") == "parked"

    cluster.clock.advance(1)
    await cluster.fire()

    assert await cluster.status("sleeper") == "runnable"
    assert (await cluster.events("sleeper"))[-1].payload.parsed()["wait"] == "sleep"
    assert await cluster.rows("sleeper") == ()
    assert await cluster.sweep() == 0


async def test_a_timer_whose_row_was_never_written_is_found_by_the_sweep(cluster: Cluster) -> None:
    """I32: the deadline is on the head; 5 s after it the sweep wakes what nothing else did, and counts it."""
    cluster.bus.lost = (ExecutionParked,)
    await sleeper(cluster)
    assert await cluster.rows("sleeper") == ()

    cluster.clock.advance(5_999)
    await cluster.fire()
    assert await cluster.sweep() == 0
    assert await cluster.status("sleeper") == "parked"  # without a sweep it would stay so: nothing else looks
    cluster.clock.advance(1)

    assert await cluster.sweep() == 1
    assert await cluster.status("sleeper") == "runnable"


async def test_a_timer_whose_row_was_deleted_is_found_by_the_sweep(cluster: Cluster) -> None:
    """I32: a row is a hint."""
    await sleeper(cluster)
    for row in await cluster.rows("sleeper"):
        await cluster.timers.retire(Retire(key=row.key))
    cluster.clock.advance(6_000)
    await cluster.fire()
    assert await cluster.status("sleeper") == "parked"

    assert await cluster.sweep() == 1


async def test_every_timer_of_a_park_has_a_row_and_the_earliest_answers(cluster: Cluster) -> None:
    """I32: one RESUMED closes the whole park; the other row is over when its time comes."""
    owner = await cluster.start_execution("sleeper")
    await owner.park(on_timer(2_000, id="long"), on_timer(1_000, id="short"))
    await cluster.deliver()

    cluster.clock.advance(1_000)
    await cluster.fire()
    assert (await cluster.events("sleeper"))[-1].payload.parsed()["wait"] == "short"
    cluster.clock.advance(1_000)
    await cluster.fire()

    assert await cluster.rows("sleeper") == ()
    assert (await cluster.kinds("sleeper")).count("RESUMED") == 1


async def test_the_rows_of_smaller_parks_go_with_the_next_park(cluster: Cluster) -> None:
    """I33: a month's time-out that a message made needless leaves no row for a month."""
    owner = await cluster.start_execution("sleeper")
    await owner.park(on_message("go"), on_timer(30 * 86_400_000))
    await cluster.deliver()
    (old,) = await cluster.rows("sleeper")
    await cluster.store.send(
        Send(
            namespace=owner.ref.namespace,
            execution_id=owner.ref.execution_id,
            chain=owner.chain,
            message_id="m",
            name="go",
        )
    )
    again = await cluster.claim("sleeper")

    parked = await again.park(on_timer(1_000))
    await cluster.deliver()

    (row,) = await cluster.rows("sleeper")
    assert row.key == replace(old.key, park_seq=parked.park_seq)


async def test_a_loop_that_reuses_a_deadline_is_woken_at_each_park(cluster: Cluster) -> None:
    """I33: a row is of its park, not of its instant: retiring the first does not lose the second."""
    deadline = cluster.clock.now() + 1_000
    owner = await cluster.start_execution("sleeper")
    await owner.park(until(deadline))
    await cluster.deliver()
    cluster.clock.advance(1_000)
    await cluster.fire()
    again = await cluster.claim("sleeper")
    await again.park(until(deadline))
    await cluster.deliver()

    await cluster.fire()

    assert await cluster.status("sleeper") == "runnable"
    assert (await cluster.kinds("sleeper")).count("RESUMED") == 2


async def test_a_row_of_an_earlier_incarnation_wakes_nobody(cluster: Cluster) -> None:
    """I48, I33: an id re-created and parked at the same sequence is another execution."""
    first = await cluster.start_execution("sleeper")
    await first.park(on_timer(1_000))
    await cluster.deliver()
    (old,) = await cluster.rows("sleeper")
    await end_and_delete(cluster, first)
    second = await recreate(cluster)
    parked = await second.park(on_timer(3_600_000))
    assert parked.park_seq == old.key.park_seq
    cluster.clock.advance(1_000)

    await cluster.fire()

    assert await cluster.status("sleeper") == "parked"
    await cluster.deliver()
    assert [row.key.incarnation for row in await cluster.rows("sleeper")] == [second.ref.incarnation]


class TestSkew:
    """I36: nothing fires early, whatever a timers node's clock says."""

    async def test_a_clock_that_is_ahead_asks_too_early_and_the_row_stays(self) -> None:
        """I36: `not-yet` keeps the row, due at the store's time."""
        cluster, ahead = await skewed(by_ms=3_600_000)
        await sleeper(cluster, 60_000)

        await cluster.fire()

        assert await cluster.status("sleeper") == "parked"
        (row,) = await cluster.rows("sleeper")
        assert (row.attempt, row.wake_at - ahead.now()) == (0, 60_000)
        cluster.clock.advance(60_000)
        ahead.advance(60_000)
        await cluster.fire()
        assert await cluster.status("sleeper") == "runnable"

    async def test_taking_not_yet_for_over_loses_the_row(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Negative control for the rule above: the mutant retires what is not due yet."""
        cluster, _ = await skewed(by_ms=3_600_000)
        settle = Firing._settle
        monkeypatch.setattr(
            Firing,
            "_settle",
            lambda self, row, verdict: settle(self, row, Over() if type(verdict) is Later else verdict),
        )
        await sleeper(cluster, 60_000)

        await cluster.fire()

        assert await cluster.rows("sleeper") == ()

    async def test_a_clock_that_is_behind_is_mended_by_the_sweep(self) -> None:
        """I32, law 5: a wrong clock costs work; the sweep goes by the store's."""
        cluster, _ = await skewed(by_ms=-3_600_000)
        await sleeper(cluster, 1_000)
        cluster.clock.advance(6_000)
        await cluster.fire()
        assert await cluster.status("sleeper") == "parked"

        assert await cluster.sweep() == 1


class TestContention:
    """I37: contention never becomes a storm, wakes included."""

    async def test_a_contended_wake_backs_off_and_is_tried_again(self, cluster: Cluster) -> None:
        """I34: the attempt is in the row, nothing is lost, and the park is answered once it can be."""
        tries = await contend(cluster, seconds=60)
        (row,) = await cluster.rows("sleeper")
        assert row.attempt == len(tries)
        assert 8 < len(tries) < 25

        del cluster.store.replaced["resume"]
        cluster.clock.advance(30_000)
        await cluster.fire()

        assert await cluster.status("sleeper") == "runnable"
        assert await cluster.rows("sleeper") == ()

    async def test_trying_at_every_poll_is_a_storm(self, cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
        """Negative control for the rule above: without a back-off the tries are those of the poll."""
        monkeypatch.setattr("loom_timers.firing.full_jitter_ms", lambda attempt, rng: 0)

        assert len(await contend(cluster, seconds=60)) > 250

    async def test_the_sweep_does_not_go_round_the_back_off(self, cluster: Cluster) -> None:
        """I37: a park whose row is backing off is left to its row, however often it is listed."""
        await contend(cluster, seconds=30)
        tries: list[int] = []

        async def counted(call: object) -> object:
            tries.append(1)
            raise ResumeContended(attempts=1)

        cluster.store.replaced["resume"] = counted
        assert await cluster.sweep() == 0
        assert tries == []


async def contend(cluster: Cluster, *, seconds: int) -> list[int]:
    """Every resume is contended for so long, timers looking five times a second; when it was tried."""
    tries: list[int] = []

    async def contended(call: object) -> object:
        tries.append(cluster.clock.now())
        raise ResumeContended(attempts=1)

    await sleeper(cluster)
    cluster.store.replaced["resume"] = contended
    for _ in range(seconds * 5):
        cluster.clock.advance(200)
        await cluster.fire()
    return tries


async def skewed(*, by_ms: int) -> tuple[Cluster, ManualClock]:
    """A cluster whose timers node has another clock."""
    clock, other = ManualClock(), ManualClock(ManualClock().now() + by_ms)
    cluster = Cluster(MemoryEventStore(clock, rng=Random(1)), MemoryTimerStore(other), clock)
    await cluster.start()
    return cluster, other


async def end_and_delete(cluster: Cluster, owner: Owner) -> None:
    """Nothing is left but a tombstone."""
    where = {
        "namespace": owner.ref.namespace,
        "execution_id": owner.ref.execution_id,
        "incarnation": owner.ref.incarnation,
    }
    await cluster.store.terminate(Terminate(**where))
    await cluster.store.delete(Delete(**where))


async def recreate(cluster: Cluster) -> Owner:
    """Another incarnation under the id."""
    await cluster.store.start(
        Start(
            namespace=(await cluster.head("sleeper")).namespace,
            execution_id=ExecutionId("sleeper"),
            batch_id="again",
            workflow="parent",
            queue="default",
            recreate=True,
        )
    )
    return await cluster.claim("sleeper")
