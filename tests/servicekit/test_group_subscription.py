"""A group's subscription: its members come and go, and it goes on. Doubles stand for members and for the check."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from random import Random

import pytest

from loom_servicekit.bus.kafka import consumer
from loom_servicekit.bus.kafka.consumer import GroupSubscription
from loom_servicekit.bus.kafka.watchdog import REBUILDS_MAX, Signs
from loom_servicekit.bus.settings import KafkaSettings
from servicekit.test_bus import Desk

WELL = Signs(now=1_000.0, polled_at=1_000.0)
DEAD = Signs(now=1_000.0, polled_at=1_000.0, coordination_ended=True)


class Found:
    """A check that sees these topics."""

    def __init__(self, *names: str) -> None:
        self.names = frozenset(names)

    async def found(self) -> frozenset[str]:
        return self.names


class Fellow:
    """A member that fails to start with `error`, or starts and shows `shown`; `blocked`: it never comes so far."""

    def __init__(self, shown: Signs = WELL, error: Exception | None = None, *, blocked: bool = False) -> None:
        self.shown = shown
        self.error = error
        self.blocked = blocked
        self.started = False
        self.closed: list[bool] = []

    async def start(self) -> None:
        self.started = True
        if self.blocked:
            await asyncio.Event().wait()
        if self.error is not None:
            raise self.error

    async def close(self, *, drain: bool) -> None:
        self.closed.append(drain)

    def signs(self) -> Signs:
        return self.shown

    def lag(self) -> int:
        return 0


class Group(GroupSubscription):
    """Made of these members, one after the other; the last one stays."""

    def __init__(self, *fellows: Fellow, check: Found | None = None) -> None:
        self.fellows = list(fellows)
        self.at = 0
        self.ended: list[str] = []
        super().__init__(
            KafkaSettings(),
            "timers",
            topics=["t"],
            handler=Desk().handle,
            group="g",
            coalesce=False,
            check=check or Found("t"),  # type: ignore[arg-type]
            dead_letters=None,  # type: ignore[arg-type]
            rng=Random(1),
            exhausted=self.ended.append,
        )

    def _new_member(self) -> Fellow:  # type: ignore[override]
        fellow = self.fellows[min(self.at, len(self.fellows) - 1)]
        self.at += 1
        return fellow


@pytest.fixture
async def groups(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[list[Group]]:
    """Whose looks and tries follow each other at once; stopped at the end."""

    async def at_once(event: asyncio.Event, ms: int) -> None:
        await asyncio.sleep(0)

    monkeypatch.setattr(consumer, "pause", at_once)
    opened: list[Group] = []
    yield opened
    for group in opened:
        await group.stop()


async def until(group: Group, made: int) -> None:
    """So many members were made."""
    async with asyncio.timeout(10):
        while group.at < made:  # noqa: ASYNC110 - it goes on by itself
            await asyncio.sleep(0)


@pytest.mark.parametrize(
    "error", [ConnectionRefusedError("no broker"), TimeoutError(), AttributeError("a bug of theirs")]
)
async def test_a_member_that_does_not_start_is_closed_and_followed_by_another(
    groups: list[Group], error: Exception
) -> None:
    """Kafka 3.2: after a failed start a new object, whatever failed; meanwhile it is not ready, and says why."""
    failing, well = Fellow(error=error), Fellow()
    group = Group(failing, well)
    groups.append(group)
    assert group.why_unready() == "g: not in its group yet"

    await until(group, 2)
    while group.why_unready() is not None:
        assert type(error).__name__ in str(group.why_unready()) or not failing.closed
        await asyncio.sleep(0)

    assert (failing.closed, well.started) == ([False], True)


class Unmade(Group):
    """Its first member cannot even be made."""

    def _new_member(self) -> Fellow:  # type: ignore[override]
        fellow = super()._new_member()
        if self.at == 1:
            raise FileNotFoundError("ca.pem")
        return fellow


async def test_a_member_that_cannot_be_made_is_followed_by_another(groups: list[Group]) -> None:
    """Kafka 3.2: certificates are renewed under a process that runs; for a moment the file is not there."""
    well = Fellow()
    group = Unmade(well)
    groups.append(group)

    await until(group, 2)
    async with asyncio.timeout(10):
        while group.why_unready() is not None:  # noqa: ASYNC110 - it goes on by itself
            await asyncio.sleep(0)

    assert well.started


class Opaque(Fellow):
    """It joins, and then cannot be looked at."""

    def signs(self) -> Signs:
        raise RuntimeError("a fault")


async def test_a_watch_that_fails_is_no_end_of_the_subscription(groups: list[Group]) -> None:
    """Kafka 3.3 point 9: a consumer that nobody watches over may be dead for ever; another one takes its place."""
    opaque, well = Opaque(), Fellow()
    group = Group(opaque, well)
    groups.append(group)

    await until(group, 2)
    async with asyncio.timeout(10):
        while group.why_unready() is not None:  # noqa: ASYNC110 - it goes on by itself
            await asyncio.sleep(0)

    assert (opaque.closed, well.started) == ([False], True)


async def test_a_member_beyond_help_is_followed_by_another_and_the_process_ends_when_none_helps(
    groups: list[Group],
) -> None:
    """Kafka 3.3 point 9: three rebuilds within ten minutes; then a restart may help."""
    group = Group(Fellow(DEAD))
    groups.append(group)

    await until(group, REBUILDS_MAX + 1)
    assert group.ended == []
    await until(group, REBUILDS_MAX + 2)

    assert len(group.ended) >= 1
    assert "coordination" in group.ended[0]


async def test_one_that_is_well_stays(groups: list[Group]) -> None:
    """Negative control for the rule above; it drains when the subscription stops."""
    fellow = Fellow(WELL)
    group = Group(fellow)
    await until(group, 1)
    for _ in range(100):
        await asyncio.sleep(0)

    await group.stop()

    assert (group.at, fellow.closed, group.ended) == (1, [True], [])


async def test_nobody_joins_while_a_topic_is_missing(groups: list[Group]) -> None:
    """Kafka 3.2: a consumer of a missing topic says nothing for 40 s; here the reason is told, and it comes back."""
    fellow, check = Fellow(), Found()
    group = Group(fellow, check=check)
    groups.append(group)
    await until(group, 3)
    assert not fellow.started
    assert "missing topics: t" in str(group.why_unready())

    check.names = frozenset({"t"})
    async with asyncio.timeout(10):
        while group.why_unready() is not None:  # noqa: ASYNC110 - it goes on by itself
            await asyncio.sleep(0)

    assert fellow.started


async def test_a_member_that_is_still_joining_does_not_delay_the_end() -> None:
    """Kafka 3.4: a broker that hangs is no reason to be killed."""
    fellow = Fellow(blocked=True)
    group = Group(fellow)
    await until(group, 1)

    await asyncio.wait_for(group.stop(), 5)

    assert fellow.closed == [False]
