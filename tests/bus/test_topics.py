"""Topics that are missing, or not as they should be, and brokers that are."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from aiokafka.admin import NewTopic

from bus.ground import PARKED, envelopes, ground, read_all, running_bus, settings_of
from bus.waiting import until
from fixtures.kafka import Kafka, fresh_prefix
from fixtures.ports import keepable_ports
from loom.kernel.hints import ChildDone, ExecutionParked, Hint
from loom_servicekit.bus.kafka import member
from loom_servicekit.bus.kafka.topics import admin_of, create_topics
from loom_servicekit.bus.opening import open_bus
from loom_servicekit.bus.port import Outcome
from loom_servicekit.topics import TOPICS

AT_ONCE_S = 10.0
"""`start()` of a consumer alone would block for 40 s, a producer's send for 60 s (kafka 3.2)."""


async def test_with_topics_missing_a_service_is_unready_at_once_says_why_and_recovers(kafka: Kafka) -> None:
    """Kafka 3.5, 7.1: nothing blocks, nothing is sent, and what was withheld goes out when the topics are there."""
    prefix, heard = fresh_prefix(), []

    async def handle(hint: Hint) -> None:
        heard.append(hint)

    settings = settings_of(kafka, prefix)
    async with open_bus(settings, service="event-store") as (bus, (check,)):
        (watch,) = check.background
        await watch.start()
        subscription = bus.subscribe((ExecutionParked,), handle, group="early")
        try:
            why = await until(lambda: asyncio.sleep(0, watch.why_unready()), within_s=AT_ONCE_S)
            assert f"{PARKED} is missing" in why
            assert await bus.publish(envelopes(["one"]), within_s=AT_ONCE_S) == (Outcome.WITHHELD,)
            assert "missing" in await until(lambda: asyncio.sleep(0, subscription.why_unready()), within_s=AT_ONCE_S)

            assert sorted(await create_topics(settings, replication=1)) == sorted(topic.name for topic in TOPICS)

            await until(lambda: asyncio.sleep(0, watch.why_unready() is None))
            assert await bus.publish(envelopes(["one"]), within_s=30) == (Outcome.ACKNOWLEDGED,)
            await until(lambda: asyncio.sleep(0, heard))
            assert subscription.why_unready() is None
        finally:
            await subscription.stop()
            await watch.stop()
            await kafka.delete_topics(prefix)


async def test_creating_topics_again_changes_nothing(kafka: Kafka) -> None:
    """Kafka 3.5: an idempotent job; topics of other counts are told of, and left alone."""
    async with ground(kafka, partitions=2) as settings:
        assert await create_topics(settings, replication=1) == []

        async with open_bus(settings, service="event-store") as (_, (check,)):
            (watch,) = check.background
            await watch.step()
            assert f"{PARKED} has 2 partitions, not 24" in watch.why_unready()


async def test_without_a_broker_a_bus_opens_answers_in_time_and_closes_at_once() -> None:
    """Kafka 3.4: an event store works without Kafka, and stops without it."""
    (port,) = keepable_ports(1)
    settings = settings_of(Kafka(f"127.0.0.1:{port}"), "")
    clock = asyncio.get_running_loop()

    began_at = clock.time()
    async with open_bus(settings, service="event-store") as (bus, (check,)):
        (watch,) = check.background
        await watch.start()
        assert watch.why_unready() is None
        assert await bus.publish(envelopes(["one"]), within_s=1) == (Outcome.UNKNOWN,)
        await watch.stop()

    assert clock.time() - began_at < AT_ONCE_S


async def test_records_of_one_prefix_are_nobody_else_s(kafka: Kafka) -> None:
    """Who shares brokers shares neither topics nor groups."""
    async with ground(kafka) as mine, ground(kafka) as others:
        async with open_bus(mine, service="event-store") as (bus, (check,)):
            await check.background[0].start()
            await bus.publish(envelopes(["one"]), within_s=30)
            await check.background[0].stop()

        assert len(await read_all(mine, PARKED)) == 1
        assert await read_all(others, PARKED) == []


async def test_a_topic_that_comes_back_is_consumed_again(kafka: Kafka, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kafka 3.5: also beside one that was never away; of a member that is ready and deaf only the sweeps would know."""
    monkeypatch.setattr(member, "METADATA_MS", 1_000)
    heard: list[Hint] = []

    async def handle(hint: Hint) -> None:
        heard.append(hint)

    async with ground(kafka, partitions=1) as settings, running_bus(settings) as bus:
        subscription: Any = bus.subscribe((ExecutionParked, ChildDone), handle, group="back")
        topic = NewTopic(settings.topic_prefix + PARKED, 1, 1)

        async def is_assigned() -> bool:
            found = subscription._member
            return found is not None and any(one.topic == topic.name for one in found._assigned)

        async def is_not_assigned() -> bool:
            return not await is_assigned()

        async def is_published() -> bool:
            return await bus.publish(envelopes(["after"]), within_s=30) == (Outcome.ACKNOWLEDGED,)

        try:
            await until(is_assigned)
            async with admin_of(settings, "test") as admin:
                await admin.delete_topics([topic.name])
                await until(is_not_assigned)
                await admin.create_topics([topic])
            await until(is_assigned)
            await until(is_published)
            await until(lambda: asyncio.sleep(0, heard))
        finally:
            await subscription.stop()
