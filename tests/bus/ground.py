"""What the tests of the bus stand on: topics of their own on a broker, hints, and what a group has committed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import Any

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import GroupCoordinatorNotAvailableError
from aiokafka.structs import ConsumerRecord

from fixtures.kafka import Kafka, fresh_prefix, open_admin
from loom.ids import ExecutionId, Incarnation, Instant, Namespace, Sequence
from loom.kernel.hints import Envelope, ExecutionParked
from loom_servicekit.bus.opening import open_bus
from loom_servicekit.bus.port import MessageBus
from loom_servicekit.bus.settings import KafkaSettings
from loom_servicekit.topics import ServiceName

PARKED = ExecutionParked.TOPIC
CREATED_AT = Instant(1_700_000_000_000)
TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

SHORT: dict[str, Any] = {"session_ms": 6_000, "poll_max_ms": 10_000, "rebalance_ms": 12_000, "drain_ms": 10_000}


@asynccontextmanager
async def ground(kafka: Kafka, *, partitions: int = 4, **settings: Any) -> AsyncIterator[KafkaSettings]:
    """Settings that lead to fresh topics, with time-outs that a test can wait for."""
    prefix = fresh_prefix()
    await kafka.create_topics(prefix, partitions)
    try:
        yield settings_of(kafka, prefix, **settings)
    finally:
        await kafka.delete_topics(prefix)


def settings_of(kafka: Kafka, prefix: str, **settings: Any) -> KafkaSettings:
    """Settings that lead to topics under a prefix, whether they are there or not."""
    bootstrap = tuple(kafka.bootstrap.split(","))
    return KafkaSettings(bootstrap=bootstrap, topic_prefix=prefix, linger_ms=0, **{**SHORT, **settings})


@asynccontextmanager
async def running_bus(settings: KafkaSettings, service: ServiceName = "event-store") -> AsyncIterator[MessageBus]:
    """The bus of a process, whose topics are watched as a service does."""
    async with open_bus(settings, service=service) as (bus, checks):
        watches = [background for check in checks for background in check.background]
        for watch in watches:
            await watch.start()
        try:
            yield bus
        finally:
            for watch in watches:
                await watch.stop()


def given(settings: KafkaSettings) -> dict[str, Any]:
    """The settings as a member process takes them."""
    return asdict(settings)


def parked(name: str, park_seq: int = 2) -> ExecutionParked:
    """A hint about an execution of that name."""
    return ExecutionParked(
        namespace=Namespace("shop"),
        execution=ExecutionId(name),
        incarnation=Incarnation(7),
        park_seq=Sequence(park_seq),
        wait_kinds=("child",),
    )


def envelopes(names: Iterable[str]) -> list[Envelope]:
    """A hint for each."""
    return [Envelope(hint=parked(name), created_at=CREATED_AT) for name in names]


async def read_all(settings: KafkaSettings, topic: str) -> list[ConsumerRecord]:
    """What is in a topic now, without a group."""
    consumer = AIOKafkaConsumer(bootstrap_servers=list(settings.bootstrap), auto_offset_reset="earliest")
    await consumer.start()
    try:
        partitions = await read_partitions(settings, topic)
        consumer.assign(partitions)
        ends = await consumer.end_offsets(partitions)
        records: list[ConsumerRecord] = []
        while len(records) < sum(ends.values()):
            for batch in (await consumer.getmany(timeout_ms=200)).values():
                records += batch
        return records
    finally:
        await consumer.stop()


async def read_committed(settings: KafkaSettings, group: str, topic: str) -> int:
    """How many records of a topic the group has behind it, by its commits."""
    async with open_admin(",".join(settings.bootstrap)) as admin:
        try:
            committed = await admin.list_consumer_group_offsets(settings.topic_prefix + group)
        except GroupCoordinatorNotAvailableError:  # a fresh broker, which has had no group yet
            return 0
    name = settings.topic_prefix + topic
    return sum(found.offset for partition, found in committed.items() if partition.topic == name)


async def read_lag(settings: KafkaSettings, group: str, *topics: str) -> int:
    """How many records of the topics the group has not behind it."""
    consumer = AIOKafkaConsumer(bootstrap_servers=list(settings.bootstrap))
    await consumer.start()
    try:
        partitions = [found for topic in topics for found in await read_partitions(settings, topic)]
        ends = sum((await consumer.end_offsets(partitions)).values())
    finally:
        await consumer.stop()
    return ends - sum([await read_committed(settings, group, topic) for topic in topics])


async def read_group(settings: KafkaSettings, group: str) -> tuple[str, int]:
    """The group's state by Kafka's word (Stable, PreparingRebalance, Empty ..), and how many members it has."""
    async with open_admin(",".join(settings.bootstrap)) as admin:
        try:
            (answer,) = await admin.describe_consumer_groups([settings.topic_prefix + group])
        except GroupCoordinatorNotAvailableError:
            return "Dead", 0
    (found,) = answer.groups
    return found[2], len(found[5])


async def rewind(settings: KafkaSettings, group: str, topic: str) -> None:
    """Commit the beginning for a group that has no member: it gets everything again."""
    consumer = AIOKafkaConsumer(
        bootstrap_servers=list(settings.bootstrap), group_id=settings.topic_prefix + group, enable_auto_commit=False
    )
    await consumer.start()
    try:
        partitions = await read_partitions(settings, topic)
        consumer.assign(partitions)
        await consumer.commit(dict.fromkeys(partitions, 0))
    finally:
        await consumer.stop()


async def read_partitions(settings: KafkaSettings, topic: str) -> list[TopicPartition]:
    """Of a topic that is there."""
    name = settings.topic_prefix + topic
    async with open_admin(",".join(settings.bootstrap)) as admin:
        (found,) = await admin.describe_topics([name])
    return [TopicPartition(name, number) for number in range(len(found["partitions"]))]
