import logging
from dataclasses import replace
from random import Random

import pytest

from fixtures.wrapped import failing
from flows.cluster import Cluster, Owner, on_child, on_timer
from loom.errors import ResumeContended, StoreUnavailable
from loom.ids import ExecutionRef
from loom.kernel.calls import ReadStore, StoreInfo
from loom.kernel.hints import ChildDone
from loom.stores.timer_store import REDRIVE, Retire, Schedule
from loom_supervisor.resume import Parents
from loom_timers.firing import ATTEMPTS_ALERT, EXHAUSTED, Firing

CONTENDED = ResumeContended("locked", attempts=1)
TIMERS_DOWN = StoreUnavailable("timers is down")


async def contended_parent(cluster: Cluster, times: int) -> Owner:
    """A parent whose child has ended, and whose resume is contended so many times."""
    parent = await cluster.start_execution("parent")
    child = await parent.start_child("a")
    await parent.park(on_child("a"))
    await cluster.deliver()
    await cluster.finish_child(child)
    cluster.store.replaced["resume"] = failing(CONTENDED, times, cluster.store.resume)
    await cluster.deliver()
    return parent


async def test_a_contended_resume_is_kept_as_a_row_and_the_hint_is_acknowledged(cluster: Cluster) -> None:
    """I13, I44: the row is durable before the hint is done with; no retry in the consumer."""
    await contended_parent(cluster, times=1)

    (row,) = await cluster.rows("parent")
    assert (row.key.kind, row.key.wait_id, row.attempt) == (REDRIVE, "wait-a", 0)
    assert cluster.bus.pauses == []
    assert "RESUMED" not in await cluster.kinds("parent")


async def test_a_redrive_derives_the_resume_again_and_its_row_goes(cluster: Cluster) -> None:
    """I34: done, by asking the re-driver, who reads the store."""
    await contended_parent(cluster, times=1)

    cluster.clock.advance(200)
    await cluster.fire()

    assert await cluster.status("parent") == "runnable"
    assert await cluster.rows("parent") == ()
    assert await cluster.sweep() == 0


async def test_a_redrive_of_a_park_that_was_answered_meanwhile_does_nothing(cluster: Cluster) -> None:
    """I31, I33: noop retires the row; the next park of the execution is not touched."""
    await contended_parent(cluster, times=1)
    assert await cluster.sweep() == 1
    await (await cluster.claim("parent")).park(on_timer(3_600_000))
    head = await cluster.head("parent")

    cluster.clock.advance(200)
    await cluster.fire()

    assert await cluster.rows("parent") == ()
    assert (await cluster.head("parent")).last_seq == head.last_seq


async def test_a_redrive_outlives_any_contention_and_alerts_once(
    cluster: Cluster, caplog: pytest.LogCaptureFixture
) -> None:
    """I34: after eight tries one RedriveExhausted; the capped interval goes on, and in the end the park is answered."""
    alerts = EXHAUSTED.total
    await contended_parent(cluster, times=20)

    with caplog.at_level(logging.ERROR):
        await keep_firing(cluster, seconds=600)

    assert await cluster.status("parent") == "runnable"
    assert EXHAUSTED.total == alerts + 1
    assert [record.levelname for record in caplog.records if "RedriveExhausted" in record.message] == ["ERROR"]


async def test_a_redrive_retired_on_exhaustion_never_comes_back(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Negative control for the rule above: the mutant gives up at the alert."""
    again = Firing.again

    async def give_up(self: Firing, key, attempt: int, traceparent: str | None) -> None:
        await again(self, key, attempt, traceparent)
        if attempt == ATTEMPTS_ALERT:
            await self._timers.retire(Retire(key=key))

    monkeypatch.setattr(Firing, "again", give_up)
    await contended_parent(cluster, times=20)

    await keep_firing(cluster, seconds=600)

    assert await cluster.status("parent") == "parked"
    assert await cluster.rows("parent") == ()


async def test_hints_that_come_again_do_not_reset_the_attempts(cluster: Cluster) -> None:
    """I34: a repeated child-done schedules attempt 0 again, and changes nothing."""
    await contended_parent(cluster, times=1_000)
    await keep_firing(cluster, seconds=30)
    (before,) = await cluster.rows("parent")
    assert before.attempt > 2

    await cluster.bus.tell(*([hint for hint in cluster.bus.published if isinstance(hint, ChildDone)] * 3))
    await cluster.bus.settled()

    assert await cluster.rows("parent") == (before,)


async def test_while_timers_is_down_no_hint_is_acknowledged(cluster: Cluster) -> None:
    """I44: the hint is handed over again until the row is written."""
    cluster.timer_rows.replaced["schedule"] = failing(TIMERS_DOWN, 5, cluster.timer_rows.schedule)

    await contended_parent(cluster, times=6)

    assert len(cluster.bus.pauses) == 5
    assert [row.key.kind for row in await cluster.rows("parent")] == [REDRIVE]


async def test_acknowledging_although_the_row_failed_loses_the_wake_up(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Negative control for the rule above: the mutant takes a failed re-drive for done."""
    take(monkeypatch, StoreUnavailable)
    cluster.timer_rows.replaced["schedule"] = failing(TIMERS_DOWN, 5, cluster.timer_rows.schedule)

    await contended_parent(cluster, times=6)
    await keep_firing(cluster, seconds=60)

    assert await cluster.rows("parent") == ()
    assert await cluster.status("parent") == "parked"


async def test_while_the_store_is_down_no_hint_is_acknowledged_and_no_row_written(cluster: Cluster) -> None:
    """I44, H44: an outage must not become a storm of re-drives at its end."""
    rows: list[Schedule] = []
    schedule = cluster.timer_rows.schedule

    async def watched(call: Schedule) -> object:
        rows.append(call)
        return await schedule(call)

    cluster.timer_rows.replaced["schedule"] = watched
    read_park = failing(StoreUnavailable("no connection"), 4, cluster.store.read_park)
    parent = await cluster.start_execution("parent")
    child = await parent.start_child("a")
    await parent.park(on_child("a"))
    await cluster.deliver()
    cluster.store.replaced["read_park"] = read_park

    await cluster.finish_child(child)
    await cluster.deliver()

    assert len(cluster.bus.pauses) == 4
    assert rows == []
    assert await cluster.status("parent") == "runnable"


async def test_acknowledging_first_loses_the_wake_up(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control for the rule above: the mutant is done with the hint before its work is."""
    take(monkeypatch, StoreUnavailable)
    parent = await cluster.start_execution("parent")
    child = await parent.start_child("a")
    await parent.park(on_child("a"))
    await cluster.deliver()
    cluster.store.replaced["read_park"] = failing(StoreUnavailable("no connection"), 1, cluster.store.read_park)

    await cluster.finish_child(child)
    await cluster.deliver()

    assert await cluster.status("parent") == "parked"
    assert await cluster.sweep() == 1


async def test_a_node_without_redrivers_leaves_redrives_and_wakes_the_rest(cluster: Cluster) -> None:
    """I35: rows that a node cannot judge, unknown kinds included, stay and starve nobody."""
    await contended_parent(cluster, times=1)
    (redrive,) = await cluster.rows("parent")
    for number in range(200):
        key = replace(redrive.key, wait_id=f"w{number}", kind="from-tomorrow" if number % 2 else REDRIVE)
        await cluster.timers.schedule(Schedule(key=key, delay_ms=0))
    sleeper = await cluster.start_execution("sleeper")
    await sleeper.park(on_timer(1_000))
    await cluster.deliver()
    cluster.clock.advance(1_000)

    await Firing(cluster.store, cluster.timers, (), Random(1)).step()

    assert await cluster.status("sleeper") == "runnable"
    assert len(await cluster.rows("parent")) == 201


async def test_with_the_feature_off_no_row_is_written_and_no_hint_acknowledged(cluster: Cluster) -> None:
    """Design 4, I56: an older timers node would not know the row; the lane backs off instead."""
    read_store = cluster.store.read_store

    async def without(call: ReadStore) -> StoreInfo:
        return replace(await read_store(call), features=())

    cluster.store.replaced["read_store"] = without
    await contended_parent(cluster, times=3)

    assert len(cluster.bus.pauses) == 3
    assert await cluster.rows("parent") == ()
    assert await cluster.status("parent") == "runnable"


async def test_an_unknown_tail_is_contended_until_somebody_knows_it(cluster: Cluster) -> None:
    """I15, I34: a newer server's answer hides the park; nothing is decided about it, nothing is given up."""
    parent = await cluster.start_execution("parent")
    child = await parent.start_child("a")
    await parent.park(on_child("a"))
    await cluster.deliver()
    await cluster.body.append_stamped(parent.ref, "EXECUTION_FROM_TOMORROW")

    await cluster.finish_child(child)
    await cluster.deliver()
    await keep_firing(cluster, seconds=30)

    (row,) = await cluster.rows("parent")
    assert row.key.kind == REDRIVE
    assert row.attempt > 0
    assert (await cluster.head("parent")).unknown_tail


async def keep_firing(cluster: Cluster, *, seconds: int, every_ms: int = 5_000) -> None:
    """Timers looks at its rows for so long."""
    for _ in range(seconds * 1_000 // every_ms):
        cluster.clock.advance(every_ms)
        await cluster.fire()


def take(monkeypatch: pytest.MonkeyPatch, error: type[Exception]) -> None:
    """The mutant: this error of the supervisor's work counts as done."""
    look_at = Parents.look_at

    async def careless(self: Parents, parent: ExecutionRef) -> bool:
        try:
            return await look_at(self, parent)
        except error:
            return False

    monkeypatch.setattr(Parents, "look_at", careless)
