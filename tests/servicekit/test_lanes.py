"""What the end of a handler means for a delivery; the lanes of both bodies of the bus."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Hashable, Mapping
from random import Random
from typing import Any

import pytest

from loom.errors import Busy, LeaseHeld, LoomError, RateLimited, ResumeContended, StoreUnavailable
from loom.ids import Instant
from loom.kernel.hints import Envelope, Hint
from loom_servicekit.bus.lanes import ATTEMPTS_MAX, ContractViolation, Lanes
from loom_servicekit.topics import addressee
from servicekit.test_bus import Desk, parked


class Slip:
    """A delivery that keeps what happens to it."""

    def __init__(self, content: Envelope | ContractViolation, ending: asyncio.Event) -> None:
        self.content = content
        self.ending = ending
        self.lost = False
        self.left: list[bool] = []
        self.buried: list[tuple[str, int]] = []
        self.refused: list[Exception] = []

    @property
    def key(self) -> str:
        return self.content.hint.key if isinstance(self.content, Envelope) else "shop/a"

    @property
    def about(self) -> Hashable:
        return addressee(self.content.hint) if isinstance(self.content, Envelope) else self

    @property
    def place(self) -> Mapping[str, str | int]:
        return {}

    def leave(self, done: bool) -> None:
        self.left.append(done)

    async def bury(self, error: Exception, attempts: int) -> None:
        if self.refused:
            raise self.refused.pop(0)
        self.buried.append((type(error).__name__, attempts))


class Hall:
    """Lanes that wait for nothing: `at_pause` is called where they would."""

    def __init__(self, desk: Desk, *, coalesce: bool = False) -> None:
        self.pauses = 0
        self.at_pause: Callable[[], object] = lambda: None
        self.ending = asyncio.Event()
        self._idle = asyncio.Condition()
        self.lanes = Lanes(
            desk.handle, name="g", coalesce=coalesce, rng=Random(1), pause=self._pause, changed=self._changed
        )

    def put(self, content: Hint | ContractViolation) -> Slip:
        told = Envelope(hint=content, created_at=Instant(0)) if not isinstance(content, Exception) else content
        slip = Slip(told, self.ending)
        self.lanes.put(slip)
        return slip

    async def settled(self) -> None:
        while self.lanes.waiting:  # noqa: ASYNC110 - every lane goes on by itself
            await asyncio.sleep(0)

    async def _pause(self, event: asyncio.Event, ms: int) -> None:
        self.pauses += 1
        self.at_pause()
        await asyncio.sleep(0)

    def _changed(self) -> None:
        return


@pytest.fixture
async def halls() -> AsyncIterator[list[Hall]]:
    """Whose lanes are stopped at the end."""
    opened: list[Hall] = []
    yield opened
    for hall in opened:
        hall.ending.set()
        await hall.lanes.stop(1_000)


def open_hall(halls: list[Hall], desk: Desk, **named: Any) -> Hall:
    """Over this handler."""
    halls.append(Hall(desk, **named))
    return halls[-1]


@pytest.mark.parametrize(
    ("error", "out_of_reach"),
    [
        (StoreUnavailable("down"), True),
        (Busy(), True),
        (RateLimited(), True),
        (ResumeContended(attempts=1), False),
        (LeaseHeld(), False),
    ],
)
async def test_an_outage_is_told_from_a_contended_execution(
    halls: list[Hall], error: LoomError, out_of_reach: bool
) -> None:
    """Kafka 3.3 point 7: the first pauses the partition and makes the consumer unready, the second backs off alone."""
    hall = open_hall(halls, Desk(*[error] * 9))
    seen: list[tuple[bool, bool]] = []
    hall.at_pause = lambda: seen.append((bool(hall.lanes.out_of_reach()), hall.lanes.why_unready() is not None))

    slip = hall.put(parked())
    await hall.settled()

    assert seen == [(out_of_reach, out_of_reach)] * 9
    assert (slip.left, slip.buried) == ([True], [])
    assert hall.lanes.out_of_reach() == []


async def test_those_passed_over_leave_with_the_one_that_was_handed_on(halls: list[Hall]) -> None:
    """Kafka 3.3 point 2: their offsets are committed when its work is done, and not before."""
    desk = Desk()
    desk.open.clear()
    hall = open_hall(halls, desk, coalesce=True)
    first = hall.put(parked())
    await desk.reached(1)

    slips = [hall.put(parked(park_seq=number)) for number in range(2, 1_000)]
    assert hall.lanes.waiting == 2
    desk.open.set()
    await hall.settled()

    assert [hint.park_seq for hint in desk.done] == [1, 999]
    assert [slip.left for slip in (first, *slips)] == [[True]] * 999


async def test_one_that_failed_keeps_those_passed_over_unfinished(halls: list[Hall]) -> None:
    """Negative control for the rule above: nothing is done, so nothing is acknowledged."""
    desk = Desk(*[StoreUnavailable("down")] * 1_000)
    hall = open_hall(halls, desk, coalesce=True)
    slips = [hall.put(parked()), hall.put(parked(park_seq=2))]
    hall.at_pause = hall.ending.set

    await hall.settled()

    assert [slip.left for slip in slips] == [[False], [False]]


async def test_what_is_lost_before_it_began_is_dropped(halls: list[Hall]) -> None:
    """Kafka 3.3 point 5: a member woken from a freeze does not go through its queue a second time."""
    desk = Desk()
    desk.open.clear()
    hall = open_hall(halls, desk)
    at_work = hall.put(parked())
    await desk.reached(1)
    queued = [hall.put(parked(park_seq=number)) for number in range(2, 9)]

    for slip in (at_work, *queued):
        slip.lost = True
    desk.open.set()
    await hall.settled()

    assert [hint.park_seq for hint in desk.done] == [1]
    assert [slip.left for slip in (at_work, *queued)] == [[False]] * 8


async def test_what_is_at_hand_and_what_is_queued_is_finished_at_the_end(halls: list[Hall]) -> None:
    """Kafka 3.3: a drain finishes what is in flight; dropping it costs duplicates."""
    desk = Desk()
    desk.open.clear()
    hall = open_hall(halls, desk)
    slips = [hall.put(parked(park_seq=number)) for number in range(1, 9)]
    await desk.reached(1)

    hall.ending.set()
    desk.open.set()
    await hall.settled()

    assert [slip.left for slip in slips] == [[True]] * 8


@pytest.mark.parametrize("error", [StoreUnavailable("down"), ResumeContended(attempts=1), ZeroDivisionError()])
async def test_nothing_is_tried_again_at_the_end(halls: list[Hall], error: Exception) -> None:
    """Kafka 3.3 point 6: a drain does not wait for an outage to pass, and makes no dead letter of what it gives up."""
    desk = Desk(*[error] * 1_000)
    hall = open_hall(halls, desk)
    hall.at_pause = hall.ending.set

    slip = hall.put(parked())
    await hall.settled()

    assert (slip.left, slip.buried) == ([False], [])
    assert len(desk.taken) <= 2


async def test_what_is_none_of_our_messages_is_buried_at_once(halls: list[Hall]) -> None:
    """Kafka 3.3 point 7: no handler sees it, and its lane goes on."""
    desk = Desk()
    hall = open_hall(halls, desk)

    broken, good = hall.put(ContractViolation("not JSON")), hall.put(parked())
    await hall.settled()

    assert (broken.buried, broken.left) == ([("ContractViolation", 0)], [True])
    assert (good.left, len(desk.done), hall.pauses) == ([True], 1, 0)


async def test_a_dead_letter_is_written_before_its_record_is_done(halls: list[Hall]) -> None:
    """Kafka 3.3 point 7: produce, then mark done; for as long as it takes, without asking the handler again."""
    desk = Desk(*[ZeroDivisionError()] * ATTEMPTS_MAX)
    hall = open_hall(halls, desk)
    slip = hall.put(parked())
    slip.refused = [StoreUnavailable("no brokers"), TypeError("a bug of ours"), StoreUnavailable("no brokers")]

    await hall.settled()

    assert (slip.buried, slip.left) == ([("ZeroDivisionError", ATTEMPTS_MAX)], [True])
    assert len(desk.taken) == ATTEMPTS_MAX


async def test_a_dead_letter_that_cannot_be_written_leaves_its_record_undone(halls: list[Hall]) -> None:
    """Negative control for the rule above."""
    hall = open_hall(halls, Desk(*[ZeroDivisionError()] * ATTEMPTS_MAX))
    slip = hall.put(parked())
    slip.refused = [StoreUnavailable("no brokers")] * 1_000
    hall.at_pause = lambda: hall.ending.set() if hall.pauses > ATTEMPTS_MAX else None

    await hall.settled()

    assert (slip.buried, slip.left) == ([], [False])


async def test_a_cancelled_lane_tries_nothing_again(halls: list[Hall]) -> None:
    """Kafka 3.3 point 8: a retry that matches CancelledError keeps a task alive for ever."""
    desk = Desk()
    desk.open.clear()
    hall = open_hall(halls, desk)
    slip = hall.put(parked())
    await desk.reached(1)

    await hall.lanes.stop(0)

    assert (len(desk.taken), slip.left) == (1, [False])
