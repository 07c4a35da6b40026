"""Handlers that take long, fail or cannot finish now, behind a real consumer."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from zlib import crc32

from bus.ground import PARKED, envelopes, ground, parked, read_all, read_committed, read_group, running_bus
from bus.waiting import until
from fixtures.kafka import Kafka
from loom.errors import ResumeContended, StoreUnavailable
from loom.kernel.hints import ExecutionParked, Hint
from loom_servicekit.bus.lanes import LANES
from loom_servicekit.bus.port import MessageBus, Subscription
from loom_servicekit.bus.settings import KafkaSettings
from loom_servicekit.topics import DEAD_LETTERS

GROUP = "lanes"
POLL_MAX_MS = 2_000


class Work:
    """A handler: hints of executions in `held` wait for `gate`, those in `failing` raise; counts what was handled."""

    def __init__(self) -> None:
        self.held: set[str] = set()
        self.gate = asyncio.Event()
        self.failing: dict[str, Exception] = {}
        self.began: Counter[str] = Counter()
        self.handled: Counter[str] = Counter()

    async def handle(self, hint: Hint) -> None:
        """As it was told to."""
        assert isinstance(hint, ExecutionParked)
        self.began[hint.execution] += 1
        if hint.execution in self.held:
            await self.gate.wait()
        if hint.execution in self.failing:
            raise self.failing[hint.execution]
        self.handled[hint.execution] += 1

    async def did(self, names: set[str]) -> None:
        """Until all of these were handled."""
        await until(lambda: asyncio.sleep(0, names <= set(self.handled)))


@asynccontextmanager
async def working(settings: KafkaSettings, work: Work) -> AsyncIterator[tuple[MessageBus, Subscription]]:
    """A consumer with that handler."""
    async with running_bus(settings) as bus:
        subscription = bus.subscribe((ExecutionParked,), work.handle, group=GROUP)
        try:
            yield bus, subscription
        finally:
            work.gate.set()
            await subscription.stop()


def in_lane_of(name: str, *, same: bool) -> str:
    """An execution whose hints share a lane with those of `name`, or do not."""
    lane = crc32(parked(name).key.encode()) % LANES
    found = (f"n-{number}" for number in count())
    return next(other for other in found if (crc32(parked(other).key.encode()) % LANES == lane) is same)


async def has_committed(settings: KafkaSettings, records: int) -> bool:
    """The group has so many behind it."""
    return await read_committed(settings, GROUP, PARKED) == records


async def test_a_handler_slower_than_the_longest_poll_blocks_its_lane_and_nothing_else(kafka: Kafka) -> None:
    """Kafka 3.3 points 1 and 2, bug 13: polling goes on, the member stays, what is finished later is committed once."""
    work = Work()
    work.held = {"slow"}
    behind, beside = in_lane_of("slow", same=True), in_lane_of("slow", same=False)
    async with ground(kafka, poll_max_ms=POLL_MAX_MS) as settings, working(settings, work) as (bus, _):
        await bus.publish(envelopes(["slow", behind]), within_s=30)
        await work.did(set())
        await until(lambda: asyncio.sleep(0, work.began["slow"]))

        clock = asyncio.get_running_loop()
        began_at, sent = clock.time(), 0
        while clock.time() - began_at < 2 * POLL_MAX_MS / 1000:
            await bus.publish(envelopes([beside]), within_s=30)
            sent += 1
            await until(lambda: asyncio.sleep(0, work.handled[beside] == sent))  # noqa: B023 - awaited at once

        assert behind not in work.began
        assert await read_group(settings, GROUP) == ("Stable", 1)
        work.gate.set()
        await work.did({"slow", behind})
        await until(lambda: has_committed(settings, sent + 2))
    assert work.began == Counter({"slow": 1, behind: 1, beside: sent})


async def test_a_consumer_takes_no_more_than_it_can_drain(kafka: Kafka) -> None:
    """Kafka 3.3 point 3: above the high-water mark it stops fetching, and goes on when there is room."""
    work = Work()
    names = [f"e-{number}" for number in range(200)]
    work.held = set(names)
    async with ground(kafka, in_flight_max=20) as settings, working(settings, work) as (bus, subscription):
        await bus.publish(envelopes(names), within_s=30)
        await until(lambda: asyncio.sleep(0, subscription._lanes.waiting >= 20))
        member = subscription._member
        await until(lambda: asyncio.sleep(0, member._consumer.paused() == member._consumer.assignment()))

        assert subscription._lanes.waiting <= 20
        work.gate.set()
        await work.did(set(names))
        await until(lambda: has_committed(settings, 200))
    assert set(work.handled.values()) == {1}


async def test_a_contended_hint_waits_in_its_lane_and_pauses_nothing(kafka: Kafka) -> None:
    """I44, kafka 3.3 point 7: with the re-drive feature off it is tried again here, never buried; others pass."""
    work = Work()
    work.failing = {"contended": ResumeContended("locked", attempts=1)}
    beside = in_lane_of("contended", same=False)
    async with ground(kafka, partitions=1) as settings, working(settings, work) as (bus, subscription):
        await bus.publish(envelopes(["contended", beside]), within_s=30)
        await work.did({beside})
        await until(lambda: asyncio.sleep(0, work.began["contended"] >= 3))

        assert subscription.why_unready() is None
        assert await read_committed(settings, GROUP, PARKED) == 0
        work.failing.clear()
        await work.did({"contended"})
        await until(lambda: has_committed(settings, 2))
        assert await read_all(settings, DEAD_LETTERS.name) == []


async def test_while_the_store_is_away_the_partition_rests_and_the_consumer_says_so(kafka: Kafka) -> None:
    """I44: unready meanwhile, nothing acknowledged, nothing buried; ready again when it is back."""
    work = Work()
    work.failing = {"away": StoreUnavailable("the store is away")}
    async with ground(kafka, partitions=1) as settings, working(settings, work) as (bus, subscription):
        await bus.publish(envelopes(["away"]), within_s=30)
        await until(lambda: asyncio.sleep(0, "the store is away" in (subscription.why_unready() or "")))
        await until(lambda: asyncio.sleep(0, subscription._member._consumer.paused()))
        await bus.publish(envelopes(["later"]), within_s=30)

        assert await read_committed(settings, GROUP, PARKED) == 0
        work.failing.clear()
        await work.did({"away", "later"})
        await until(lambda: has_committed(settings, 2))
        assert subscription.why_unready() is None
        assert await read_all(settings, DEAD_LETTERS.name) == []
