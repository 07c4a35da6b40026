import asyncio
import logging
from collections.abc import Callable
from random import Random

import pytest

from loom.errors import StoreUnavailable
from loom_servicekit.loops import Loop
from loom_servicekit.pauses import pause


class Steps:
    """Answers and errors of a step, one a round; then None."""

    def __init__(self, *script: int | Exception | None) -> None:
        self.script = list(script)
        self.pauses: list[int] = []
        self.reasons: list[str | None] = []
        self.hold = asyncio.Event()
        self.hold.set()

    async def step(self) -> int | None:
        await self.hold.wait()
        outcome = self.script.pop(0) if self.script else None
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def pause(self, event: asyncio.Event, ms: int) -> None:
        """For as long as there is a script, time flies; then it stands still."""
        self.pauses.append(ms)
        self.reasons.append(self.why_unready())
        if self.script:
            await asyncio.sleep(0)
        else:
            await event.wait()

    def loop(self) -> Loop:
        loop = Loop("test", self.step, every_ms=1_000, rng=Random(1), pause=self.pause)
        self.why_unready = loop.why_unready
        return loop


async def run(steps: Steps, rounds: int) -> Loop:
    """A loop after so many rounds."""
    loop = steps.loop()
    await loop.start()
    await loop.reached(rounds)
    return loop


async def test_a_step_is_run_on_time_give_or_take_a_tenth() -> None:
    """Ten replicas that started together do not look together for ever."""
    steps = Steps(*[None] * 50)
    loop = await run(steps, 50)
    await loop.stop()

    assert all(900 <= ms <= 1_100 for ms in steps.pauses)
    assert len(set(steps.pauses)) > 20


async def test_a_step_says_when_it_is_due_again() -> None:
    """0: there is more to do, at once."""
    steps = Steps(0, 0, 70)
    loop = await run(steps, 3)
    await loop.stop()

    assert steps.pauses == [70]


async def test_a_wake_up_runs_a_round_now_and_one_during_a_round_is_not_lost() -> None:
    """The relay is woken after each commit."""
    steps = Steps()
    loop = await run(steps, 1)
    loop.wake()
    await loop.reached(2)

    steps.hold.clear()
    loop.wake()
    await asyncio.sleep(0)
    loop.wake()
    steps.hold.set()
    await loop.reached(3)
    await loop.stop()

    assert loop.rounds >= 3


async def test_stopping_waits_for_the_round_under_way_and_begins_no_other() -> None:
    """Design 4: a service finishes what it accepted."""
    steps = Steps(0, 0, 0)
    steps.hold.clear()
    loop = steps.loop()
    await loop.start()
    await asyncio.sleep(0)

    stopping = asyncio.create_task(loop.stop())
    await asyncio.sleep(0)
    assert not stopping.done()
    steps.hold.set()
    await stopping

    assert loop.rounds == 1


async def test_a_loop_that_never_started_stops() -> None:
    """A service whose start failed half-way is stopped too."""
    await Steps().loop().stop()


async def test_a_failing_step_is_run_again_later_and_later_and_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    """Full jitter up to 30 s; one line when it begins, one when it ends; unready after three in a row."""
    steps = Steps(*[StoreUnavailable("down")] * 12, None)
    with caplog.at_level(logging.INFO):
        loop = await run(steps, 13)
    await loop.stop()

    assert [record.levelname for record in caplog.records] == ["WARNING", "INFO"]
    assert [reason is None for reason in steps.reasons] == [True] * 2 + [False] * 10 + [True]
    assert "down" in str(steps.reasons[11])
    assert max(steps.pauses[:2]) <= 1_000 + 800
    assert 10_000 < max(steps.pauses) <= 31_000


async def test_one_failure_does_not_make_a_service_unready() -> None:
    """A single lost connection is no reason to take a replica out."""
    steps = Steps(*[StoreUnavailable("down"), None] * 5)
    loop = await run(steps, 10)
    await loop.stop()

    assert set(steps.reasons) == {None}


async def test_a_wake_up_does_not_hasten_a_step_that_fails() -> None:
    """I37: commits go on while the broker is down; the relay must not knock at every one."""
    waited: list[str] = []
    steps = Steps(StoreUnavailable("down"), None)
    loop = steps.loop()

    async def note(event: asyncio.Event, ms: int) -> None:
        loop.wake()
        waited.append("woken" if event.is_set() else "waits")
        await asyncio.sleep(0)

    loop._pause = note
    await loop.start()
    await loop.reached(2)
    await loop.stop()

    assert waited[:2] == ["waits", "woken"]


@pytest.mark.parametrize("ring", [lambda event: event.set(), lambda event: None])
async def test_a_pause_ends_by_its_event_or_by_its_time(ring: Callable[[asyncio.Event], None]) -> None:
    """The real one; its time here is a millisecond."""
    event = asyncio.Event()
    ring(event)

    await pause(event, 1)
