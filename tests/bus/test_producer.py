"""Producers that are beyond help: they go, another takes their place, and nothing that was not acknowledged is lost."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager

import pytest
from aiokafka import TopicPartition

from bus.ground import PARKED, envelopes, ground, read_all, running_bus, settings_of
from bus.waiting import until
from fixtures.kafka import Kafka, started_kafka
from fixtures.proxy import Proxy, running_proxy
from loom_servicekit.bus.kafka.bus import KafkaBus
from loom_servicekit.bus.kafka.producer import REPLACED, Producer
from loom_servicekit.bus.port import MessageBus, Outcome

CLOSED_S = 10.0


async def publish_over_a_hole(kafka: Kafka) -> list[Outcome]:
    """What becomes of three hints that are sent after some sequence numbers were lost."""
    async with ground(kafka, partitions=1) as settings, running_bus(settings) as bus:
        assert isinstance(bus, KafkaBus)
        await bus.publish(envelopes(["one"]), within_s=30)
        producer = bus._producer._producer
        assert producer is not None
        producer._txn_manager.increment_sequence_number(TopicPartition(settings.topic_prefix + PARKED, 0), 3)

        return [(await bus.publish(envelopes(["two"]), within_s=30))[0] for _ in range(3)]


async def test_a_hole_in_the_sequence_numbers_costs_one_producer_and_no_hint(kafka: Kafka) -> None:
    """Kafka bugs 2 and 20: every later send to that partition would fail; the error of the first replaces it."""
    replaced = REPLACED.total

    outcomes = await publish_over_a_hole(kafka)

    assert outcomes == [Outcome.UNKNOWN, Outcome.ACKNOWLEDGED, Outcome.ACKNOWLEDGED]
    assert REPLACED.total == replaced + 1


async def test_a_producer_that_is_kept_after_a_failure_never_writes_there_again(
    kafka: Kafka, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Negative control for the rule above."""
    replace = Producer._replace
    monkeypatch.setattr(Producer, "_replace", lambda self, *args: replace(self, *args) if self._closed else None)

    assert await publish_over_a_hole(kafka) == [Outcome.UNKNOWN] * 3


async def test_a_producer_whose_broker_was_killed_is_closed_by_force(
    own_kafka: Kafka, caplog: pytest.LogCaptureFixture
) -> None:
    """Kafka bug 1, 3.1: its `stop()` would wait for as long as the broker is away; no task is left behind."""
    caplog.set_level(logging.CRITICAL, "aiokafka")
    clock = asyncio.get_running_loop()
    await own_kafka.create_topics("", partitions=1)
    before = asyncio.all_tasks()
    async with running_bus(settings_of(own_kafka, "")) as bus:
        await bus.publish(envelopes(["one"]), within_s=30)
        await asyncio.to_thread(own_kafka.stop, signal.SIGKILL)

        assert await bus.publish(envelopes(["two"]), within_s=1) == (Outcome.UNKNOWN,)
        closing_at = clock.time()

    assert clock.time() - closing_at < CLOSED_S
    assert asyncio.all_tasks() == before


async def test_a_network_that_was_cut_and_one_that_stalled_lose_nothing() -> None:
    """Kafka 7.2: what was not acknowledged in time is published again, and may be there twice."""
    async with proxied_kafka() as (proxy, server):
        await server.create_topics("", partitions=1)
        settings = settings_of(server, "")
        async with running_bus(settings) as bus:
            await bus.publish(envelopes(["one"]), within_s=30)

            await proxy.cut()
            assert await bus.publish(envelopes(["two"]), within_s=1) == (Outcome.UNKNOWN,)
            await proxy.open()
            await until(lambda: is_acknowledged(bus, "two"))

            proxy.stall()
            assert await bus.publish(envelopes(["three"]), within_s=1) == (Outcome.UNKNOWN,)
            proxy.flow()
            await until(lambda: is_acknowledged(bus, "three"))

            records = await read_all(settings, PARKED)
    assert {record.key for record in records} == {b"shop/one", b"shop/two", b"shop/three"}


async def is_acknowledged(bus: MessageBus, name: str) -> bool:
    """Published again, as the relay does."""
    return await bus.publish(envelopes([name]), within_s=2) == (Outcome.ACKNOWLEDGED,)


@asynccontextmanager
async def proxied_kafka() -> AsyncIterator[tuple[Proxy, Kafka]]:
    """A broker that tells its clients to come through a proxy."""
    async with running_proxy() as proxy:
        with ExitStack() as stack:
            starting = started_kafka(advertised={1: proxy.port})
            server = await asyncio.to_thread(stack.enter_context, starting)
            proxy.target_port = server.node.port
            yield proxy, server
