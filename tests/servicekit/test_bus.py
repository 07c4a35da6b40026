import asyncio
from collections.abc import AsyncIterator

import pytest

from fixtures.buses import FaultyBus
from loom.errors import (
    Busy,
    Deleted,
    IllegalTransition,
    LoomError,
    NotFound,
    NotParked,
    ResumeContended,
    StoreUnavailable,
)
from loom.ids import ExecutionId, Incarnation, Namespace, Sequence
from loom.kernel.hints import ChildDone, ExecutionParked, Hint, NotifyResume
from loom_servicekit.bus.consumer import Consumer
from loom_servicekit.bus.lanes import ATTEMPTS_MAX

EVERY = (ChildDone, ExecutionParked, NotifyResume)


def parked(id: str = "a", park_seq: int = 1, incarnation: int = 1) -> ExecutionParked:
    """A hint; its sequence tells it from others of its key."""
    return ExecutionParked(
        namespace=Namespace("shop"),
        execution=ExecutionId(id),
        incarnation=Incarnation(incarnation),
        park_seq=Sequence(park_seq),
        wait_kinds=("timer",),
    )


def child_done(parent: str = "a", key: str = "k", incarnation: int = 1) -> ChildDone:
    """A hint that is about its parent."""
    return ChildDone(
        namespace=Namespace("shop"),
        parent=ExecutionId(parent),
        parent_incarnation=Incarnation(incarnation),
        child_key=key,
        child=ExecutionId("c"),
        child_incarnation=Incarnation(2),
        status="completed",
        sequence=Sequence(2),
    )


class Desk:
    """A handler that keeps what it gets, and holds each hint until `open` is set."""

    def __init__(self, *errors: Exception) -> None:
        self.taken: list[Hint] = []
        self.done: list[Hint] = []
        self.errors = list(errors)
        self.open = asyncio.Event()
        self.open.set()
        self.now = 0
        self.most_at_once = 0
        self._changed = asyncio.Condition()

    async def reached(self, taken: int) -> None:
        """Wait until so many hints were taken."""
        async with self._changed:
            await self._changed.wait_for(lambda: len(self.taken) >= taken)

    async def handle(self, hint: Hint) -> None:
        async with self._changed:
            self.taken.append(hint)
            self._changed.notify_all()
        self.now += 1
        self.most_at_once = max(self.most_at_once, self.now)
        try:
            await self.open.wait()
        finally:
            self.now -= 1
        if self.errors:
            raise self.errors.pop(0)
        self.done.append(hint)


@pytest.fixture
async def bus() -> AsyncIterator[FaultyBus]:
    """It waits for nothing; what subscribed to it is stopped."""
    bus = FaultyBus()
    yield bus
    for subscription in bus._subscriptions:
        await subscription.stop()


async def test_a_hint_reaches_every_group_once_and_all_who_have_none(bus: FaultyBus) -> None:
    """Kafka 3.2: members share what their group gets; a tail sees everything from now on."""
    desks = {name: Desk() for name in ("one", "also one", "two", "tail", "other tail")}
    for name, desk in desks.items():
        group = None if "tail" in name else name.removeprefix("also ")
        bus.subscribe(EVERY, desk.handle, group=group)

    await bus.tell(*[parked(str(number)) for number in range(40)])
    await bus.settled()

    seen = {name: len(desk.done) for name, desk in desks.items()}
    assert (seen["two"], seen["tail"], seen["other tail"]) == (40, 40, 40)
    assert seen["one"] + seen["also one"] == 40
    assert min(seen["one"], seen["also one"]) > 0


async def test_a_subscriber_gets_the_topics_it_named(bus: FaultyBus) -> None:
    """Kafka 3.5."""
    desk = Desk()
    bus.subscribe((ChildDone,), desk.handle, group="g")

    await bus.tell(parked(), child_done())
    await bus.settled()

    assert desk.done == [child_done()]


async def test_one_key_is_never_handled_twice_at_once_and_stays_in_order(bus: FaultyBus) -> None:
    """Kafka 3.3 point 2: key lanes."""
    desk = Desk()
    bus.subscribe(EVERY, desk.handle, group="g")

    await bus.tell(*[parked(park_seq=number) for number in range(100)])
    await bus.settled()

    assert desk.most_at_once == 1
    assert [hint.park_seq for hint in desk.done] == list(range(100))


async def test_different_keys_do_not_wait_for_each_other(bus: FaultyBus) -> None:
    """Kafka 3.3 point 2: negative control for the rule above."""
    desk = Desk()
    desk.open.clear()
    bus.subscribe(EVERY, desk.handle, group="g")

    await bus.tell(*[parked(str(number)) for number in range(100)])
    await desk.reached(10)
    desk.open.set()
    await bus.settled()

    assert desk.most_at_once >= 10


@pytest.mark.parametrize(("coalesce", "handled"), [(True, 2), (False, 1001)])
async def test_of_the_hints_queued_for_one_parent_only_the_last_is_handed_on(
    bus: FaultyBus, coalesce: bool, handled: int
) -> None:
    """Kafka 3.3 point 2: a thousand children of one parent are two looks at it, not a thousand; both topics count."""
    desk = Desk()
    desk.open.clear()
    bus.subscribe(EVERY, desk.handle, group="g", coalesce=coalesce)
    await bus.tell(child_done(key="first"))
    await desk.reached(1)

    await bus.tell(*([child_done(key=str(number)) for number in range(999)] + [parked("a", 7)]))
    desk.open.set()
    await bus.settled()

    assert len(desk.done) == handled
    assert desk.done[-1] == parked("a", 7)


async def test_hints_of_two_incarnations_are_not_coalesced(bus: FaultyBus) -> None:
    """I48: another incarnation under the id is another parent."""
    desk = Desk()
    bus.subscribe(EVERY, desk.handle, group="g", coalesce=True)

    await bus.tell(parked(incarnation=1), parked(incarnation=2), child_done(incarnation=1))
    await bus.settled()

    assert desk.done == [child_done(incarnation=1), parked(incarnation=2)]


@pytest.mark.parametrize("error", [NotParked(), Deleted(), NotFound()])
async def test_what_needs_nothing_any_more_is_acknowledged(bus: FaultyBus, error: LoomError) -> None:
    """I44, kafka 3.3 point 7: no-op."""
    desk = await handle_with(bus, error)

    assert (len(desk.taken), bus.pauses, bus.dead_letters) == (1, [], ())


@pytest.mark.parametrize("error", [StoreUnavailable("down"), Busy(), ResumeContended(attempts=1)])
async def test_what_cannot_be_done_now_is_handed_over_again_for_ever(bus: FaultyBus, error: LoomError) -> None:
    """I44: never acknowledged, never a dead letter; with full jitter, up to 30 s."""
    desk = await handle_with(bus, *[error] * 40)

    assert len(desk.taken) == 41
    assert len(desk.done) == 1
    assert bus.dead_letters == ()
    assert max(bus.pauses[:3]) <= 1_600
    assert 10_000 < max(bus.pauses) <= 30_000


@pytest.mark.parametrize("error", [ZeroDivisionError(), IllegalTransition()])
async def test_a_bug_is_tried_five_times_and_then_a_dead_letter(bus: FaultyBus, error: Exception) -> None:
    """Kafka 3.3 point 7: with the error's class and the attempts; the lane goes on."""
    desk = await handle_with(bus, *[error] * 5)
    await bus.tell(parked(park_seq=2))
    await bus.settled()

    (letter,) = bus.dead_letters
    assert (letter.hint, letter.group, letter.attempts) == (parked(), "g", ATTEMPTS_MAX)
    assert letter.error == type(error).__name__
    assert desk.done == [parked(park_seq=2)]


async def test_a_bug_that_goes_away_is_no_dead_letter(bus: FaultyBus) -> None:
    """Negative control for the rule above."""
    desk = await handle_with(bus, *[ZeroDivisionError()] * 4)

    assert (len(desk.done), bus.dead_letters) == (1, ())


async def handle_with(bus: FaultyBus, *errors: Exception) -> Desk:
    """One hint for a handler that fails with these, in order."""
    desk = Desk(*errors)
    bus.subscribe(EVERY, desk.handle, group="g")
    await bus.tell(parked())
    await bus.settled()
    return desk


async def test_a_full_group_makes_the_publisher_wait_and_nobody_else() -> None:
    """Kafka 3.3 point 3: back-pressure; a subscriber without a group never holds anybody up."""
    bus = FaultyBus(waiting_max=5)
    slow, tail = Desk(), Desk()
    slow.open.clear()
    bus.subscribe(EVERY, slow.handle, group="slow")
    bus.subscribe(EVERY, tail.handle, group=None)

    publishing = asyncio.create_task(bus.tell(*[parked(str(number)) for number in range(12)]))
    await tail.reached(5)
    assert not publishing.done()
    slow.open.set()
    await publishing
    await bus.settled()

    assert len(slow.done) == 12
    for subscription in bus._subscriptions:
        await subscription.stop()


async def test_stopping_finishes_what_was_accepted(bus: FaultyBus) -> None:
    """Kafka 3.3: finish in-flight work, take no more."""
    desk = Desk()
    subscription = bus.subscribe(EVERY, desk.handle, group="g")
    await bus.tell(*[parked(str(number)) for number in range(50)])

    await subscription.stop()
    await bus.tell(parked("late"))
    await bus.settled()

    assert len(desk.done) == 50


async def test_stopping_gives_up_what_cannot_be_done_now(bus: FaultyBus) -> None:
    """Kafka 3.3: an outage does not keep a service from stopping; the hint was not acknowledged, a sweep finds it."""
    desk = Desk(*[StoreUnavailable("down")] * 1_000_000)
    subscription = bus.subscribe(EVERY, desk.handle, group="g")
    await bus.tell(parked())
    await desk.reached(2)

    await subscription.stop()

    assert desk.done == []


async def test_an_outage_shows_in_readiness_and_goes_with_it(bus: FaultyBus) -> None:
    """Kafka 3.4: store reachable."""
    desk = Desk(StoreUnavailable("no connection"))
    subscription = bus.subscribe(EVERY, desk.handle, group="g")
    assert subscription.why_unready() is None
    reasons: list[str | None] = []
    bus.at_pause = lambda: reasons.append(subscription.why_unready())

    await bus.tell(parked())
    await bus.settled()

    assert reasons == ["g: no connection"]
    assert subscription.why_unready() is None


async def test_a_consumer_listens_from_start_to_stop(bus: FaultyBus) -> None:
    """A service's background: not before start, not after stop."""
    desk = Desk()
    consumer = Consumer(bus, (ExecutionParked,), desk.handle, group="g")
    await bus.tell(parked("early"))
    assert consumer.why_unready() is not None

    await consumer.start()
    await bus.tell(parked("now"))
    await bus.settled()
    await consumer.stop()
    await bus.tell(parked("late"))

    assert [hint.execution for hint in desk.done] == ["now"]
