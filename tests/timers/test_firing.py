from random import Random
from typing import Any

import pytest

from loom.clock import ManualClock
from loom.errors import (
    Deleted,
    Gone,
    LoomError,
    NotFound,
    NotParked,
    NotYet,
    ResumeContended,
    StoreUnavailable,
)
from loom.ids import Sequence, Token
from loom.kernel.calls import Resume, Resumed
from loom.stores.timer_store import REDRIVE, MemoryTimerStore, Outcome, Redrive, Redriven, Schedule, TimerStore
from loom_timers.firing import Again, Answered, Firing, Later, Over, Verdict, fire_redrive, fire_wake
from timers.rows import claim, key_of, read


class Answering:
    """An event store that answers every resume alike."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.calls: list[Resume] = []

    async def resume(self, call: Resume) -> Resumed:
        self.calls.append(call)
        if self.error:
            raise self.error
        return Resumed(resumed_seq=Sequence(4), token=Token(1))


class Redriving:
    """A re-driver that answers alike each time; None: it raises."""

    def __init__(self, result: Outcome | None) -> None:
        self.result = result
        self.calls: list[Redrive] = []

    async def redrive(self, call: Redrive) -> Redriven:
        self.calls.append(call)
        if self.result is None:
            raise StoreUnavailable("down")
        return Redriven(result=self.result)


@pytest.mark.parametrize(
    ("error", "verdict"),
    [
        (None, Answered()),
        (NotParked(), Over()),
        (Deleted(), Over()),
        (Gone(), Over()),
        (NotFound(), Over()),
        (NotYet(retry_in_ms=70), Later(delay_ms=70)),
        (NotYet(), Later(delay_ms=1_000)),
        (ResumeContended(attempts=1), Again()),
    ],
)
async def test_a_wake_is_judged_by_the_store(error: LoomError | None, verdict: Verdict) -> None:
    """models-of-style C4, timer fires: what each answer of the resume means for the row."""
    assert await fire_wake(Answering(error), key_of()) == verdict


async def test_a_wake_is_a_resume_of_exactly_its_park_and_wait() -> None:
    """Design 4: (incarnation, park, wait), without keys and without a credential."""
    store = Answering()
    await fire_wake(store, key_of(9, 5, "nap"))

    (call,) = store.calls
    assert (call.incarnation, call.park_seq, call.wait, call.keys, call.credential) == (9, 5, "nap", (), None)


async def test_an_outage_is_no_verdict_about_the_park(timers: TimerStore) -> None:
    """I44: the row keeps its attempt, backs off, and the round fails, so that the loop waits."""
    await timers.schedule(Schedule(key=key_of(), attempt=2, delay_ms=0))

    with pytest.raises(StoreUnavailable):
        await firing(Answering(StoreUnavailable("down")), timers).step()

    (row,) = await read(timers)
    assert (row.attempt, row.claim) == (2, None)


async def test_a_fault_of_ours_keeps_the_row(timers: TimerStore, caplog: pytest.LogCaptureFixture) -> None:
    """I34: an open wait is never retired, not even by a bug; it is logged and tried again, later."""
    await timers.schedule(Schedule(key=key_of(), delay_ms=0))

    await firing(Answering(ZeroDivisionError()), timers).step()

    assert [row.attempt for row in await read(timers)] == [1]
    assert "could not be judged" in caplog.text


@pytest.mark.parametrize(
    ("results", "verdict", "asked"),
    [
        (["done"], Answered(), 1),
        (["noop", "done"], Answered(), 2),
        (["noop", "contended", "done"], Again(), 2),
        ([None, "done"], Again(), 1),
        (["noop", "noop"], Over(), 2),
    ],
)
async def test_the_first_redriver_that_is_not_noop_decides(
    results: list[Outcome | None], verdict: Verdict, asked: int
) -> None:
    """Design 4: asked in order; one that raises counts as contended."""
    redrivers = [Redriving(result) for result in results]

    assert await fire_redrive(redrivers, await row_of(REDRIVE)) == verdict
    assert sum(len(redriver.calls) for redriver in redrivers) == asked


async def test_a_node_without_redrivers_takes_no_redrives(timers: TimerStore) -> None:
    """I35."""
    await timers.schedule(Schedule(key=key_of(kind=REDRIVE), delay_ms=0))

    await firing(Answering(), timers).step()

    (row,) = await read(timers)
    assert (row.attempt, row.claim) == (0, None)


async def test_a_full_round_is_followed_by_another_at_once(timers: TimerStore) -> None:
    """Ten thousand timers due at once are not fired thirty-two at a poll."""
    for number in range(40):
        await timers.schedule(Schedule(key=key_of(park_seq=number), delay_ms=0))
    store = Answering()

    assert await firing(store, timers).step() == 0
    assert await firing(store, timers).step() is None
    assert len(store.calls) == 40
    assert await read(timers) == ()


async def row_of(kind: str) -> Any:
    """A due row."""
    timers = MemoryTimerStore(ManualClock())
    await timers.schedule(Schedule(key=key_of(kind=kind), delay_ms=0))
    return (await claim(timers))[0]


def firing(store: Any, timers: TimerStore) -> Firing:
    """Without re-drivers."""
    return Firing(store, timers, (), Random(1))
