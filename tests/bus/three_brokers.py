"""`make test-brokers`: what takes three brokers. The leader dies, a partition has none, too few replicas are in sync.

Not part of `make test`: three brokers take 600 MB and a minute of a small machine.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import pytest

from bus.ground import PARKED, envelopes, read_all, running_bus, settings_of
from bus.waiting import until
from fixtures.kafka import Kafka, Node, fresh_prefix, open_admin, started_kafka
from loom.errors import StoreUnavailable
from loom.ids import ExecutionId, Namespace
from loom.kernel import calls as c
from loom.kernel.hints import NotifyResume
from loom.stores.memory import MemoryEventStore
from loom_event_store.relay import Relay
from loom_servicekit.bus.kafka.producer import REPLACED
from loom_servicekit.bus.port import MessageBus, Outcome
from loom_servicekit.bus.settings import KafkaSettings
from loom_servicekit.topics import TOPICS

REQUEST_MS = 4_000


@pytest.fixture(scope="module")
def brokers() -> Iterator[Kafka]:
    """Three, each also a controller: two of them are a quorum."""
    with started_kafka(nodes=3) as server:
        yield server


@pytest.fixture(autouse=True)
def all_run(brokers: Kafka) -> Iterator[None]:
    """Whatever a test stopped runs again for the next one."""
    yield
    brokers.start()


async def leader_of(settings: KafkaSettings, brokers: Kafka, topic: str) -> Node | None:
    """Who leads partition 0 by what the others say; None: nobody."""
    async with open_admin(brokers.bootstrap) as admin:
        (found,) = await admin.describe_topics([settings.topic_prefix + topic])
    numbers = [partition["leader"] for partition in found["partitions"] if partition["partition"] == 0]
    return next((node for node in brokers.nodes if node.number == numbers[0]), None)


async def create_alike(brokers: Kafka, prefix: str, **config: str) -> KafkaSettings:
    """All topics, a partition each, with settings of their own."""
    replicas = int(config.pop("replicas", "3"))
    for topic in TOPICS:
        await brokers.create(prefix + topic.name, 1, replicas, **config)
    return settings_of(brokers, prefix, request_ms=REQUEST_MS)


async def keep_publishing(bus: MessageBus, names: list[str], within_s: float) -> None:
    """As the relay does: what was not acknowledged is published again."""
    for name in names:
        while await bus.publish(envelopes([name]), within_s=within_s) != (Outcome.ACKNOWLEDGED,):
            pass


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
async def test_when_the_leader_dies_sends_go_on_and_nothing_is_lost(brokers: Kafka, how: signal.Signals) -> None:
    """Kafka 7.1: with three replicas and two in sync, what was acknowledged is on another broker."""
    settings = await create_alike(brokers, fresh_prefix(), min_insync_replicas="2")
    names = [f"e-{number}" for number in range(200)]
    async with running_bus(settings) as bus:
        await keep_publishing(bus, names[:50], 10)
        leader = await leader_of(settings, brokers, PARKED)
        assert leader is not None

        publishing = asyncio.create_task(keep_publishing(bus, names[50:], 30))
        await asyncio.to_thread(leader.stop, how)
        async with asyncio.timeout(30):
            await publishing

        told = {record.key for record in await read_all(settings, PARKED)}
    assert told == {f"shop/{name}".encode() for name in names}


async def test_a_partition_without_a_leader_for_longer_than_a_request_costs_a_producer_and_no_row(
    brokers: Kafka,
) -> None:
    """Kafka bug 20: the batch expired with a number taken; its error replaces the producer, and every row arrives."""
    settings = await create_alike(brokers, fresh_prefix(), replicas="1", min_insync_replicas="1")
    store = MemoryEventStore()
    replaced = REPLACED.total
    async with running_bus(settings) as bus:
        relay = Relay(store, store, bus, "one", publish_s=30)
        await start(store, "before")
        await relay.step()
        leader = await leader_of(settings, brokers, NotifyResume.TOPIC)
        assert leader is not None

        await asyncio.to_thread(leader.stop)
        await until(lambda: has_no_leader(settings, brokers))
        await start(store, "during")
        with pytest.raises(StoreUnavailable, match="did not acknowledge"):
            await relay.step()
        assert len(await store.read_outbox(0, 10)) == 1
        await asyncio.to_thread(brokers.start)

        await until(lambda: has_drained(relay, store))
        told = {record.key for record in await read_all(settings, NotifyResume.TOPIC)}
    assert told == {b"shop/before", b"shop/during"}
    assert REPLACED.total > replaced


async def has_no_leader(settings: KafkaSettings, brokers: Kafka) -> bool:
    """Its only replica is gone."""
    return await leader_of(settings, brokers, NotifyResume.TOPIC) is None


async def start(store: MemoryEventStore, id: str) -> None:
    """It leaves one row."""
    call = c.Start(namespace=Namespace("shop"), execution_id=ExecutionId(id), batch_id="s", workflow="w", queue="q")
    await store.start(call)


async def has_drained(relay: Relay, store: MemoryEventStore) -> bool:
    """A step that may fail, and the outbox is empty."""
    with suppress(StoreUnavailable):
        await relay.step()
    return await store.read_outbox(0, 1) == ()


@pytest.mark.parametrize("idempotent", [True, False])
async def test_with_too_few_replicas_in_sync_rows_stay(brokers: Kafka, idempotent: bool) -> None:
    """Kafka 7.1: nothing is acknowledged, so nothing is deleted; when the third is back all goes out."""
    settings = await create_alike(brokers, fresh_prefix(), min_insync_replicas="3")
    store = MemoryEventStore()
    async with running_bus(replace(settings, idempotent=idempotent)) as bus:
        relay = Relay(store, store, bus, "one", publish_s=REQUEST_MS / 2000)
        await start(store, "before")
        await relay.step()
        leader = await leader_of(settings, brokers, NotifyResume.TOPIC)
        follower = next(node for node in brokers.nodes if node is not leader)

        await asyncio.to_thread(follower.stop)
        await start(store, "during")
        with pytest.raises(StoreUnavailable, match="did not acknowledge"):
            await relay.step()
        assert len(await store.read_outbox(0, 10)) == 1
        await asyncio.to_thread(brokers.start)

        relay = Relay(store, store, bus, "one", publish_s=30)
        await until(lambda: has_drained(relay, store))
        told = {record.key for record in await read_all(settings, NotifyResume.TOPIC)}
    assert told == {b"shop/before", b"shop/during"}
