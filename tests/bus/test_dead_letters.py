"""What an operator sees of the records that were given up on, and what a replay does, over a real broker."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.structs import ConsumerRecord

from fixtures.kafka import Kafka, fresh_prefix
from loom_servicekit.bus.kafka.dead_letters import Box, DeadLetters
from loom_servicekit.bus.kafka.groups import count_free
from loom_servicekit.bus.kafka.member import close_consumer, consumer_of
from loom_servicekit.bus.kafka.producer import Producer, producer_of
from loom_servicekit.bus.kafka.records import record_of
from loom_servicekit.bus.kafka.topics import admin_of, create_topics
from loom_servicekit.bus.port import Outcome
from loom_servicekit.bus.settings import KafkaSettings
from servicekit.test_bus import parked
from servicekit.test_records import envelope

TOPIC = "loom.execution-parked.v1"


@pytest.fixture
async def settings(kafka: Kafka) -> KafkaSettings:
    """Topics of the test's own."""
    settings = KafkaSettings(bootstrap=tuple(kafka.bootstrap.split(",")), topic_prefix=fresh_prefix(), linger_ms=0)
    await create_topics(settings, replication=1)
    return settings


async def publish(settings: KafkaSettings, *ids: str) -> None:
    """Hints of these executions."""
    producer = Producer(partial(producer_of, settings, "event-store"))
    told = [record_of(envelope(parked(id)), cluster="c", prefix=settings.topic_prefix) for id in ids]
    assert set(await producer.send(told, within_s=30)) == {Outcome.ACKNOWLEDGED}
    await producer.close()


async def read(settings: KafkaSettings) -> list[ConsumerRecord]:
    """Every record of the hints' topic."""
    consumer: AIOKafkaConsumer = consumer_of(settings, "test", None)
    await consumer.start()
    try:
        partitions = [TopicPartition(settings.topic_prefix + TOPIC, number) for number in range(24)]
        consumer.assign(partitions)
        await consumer.seek_to_beginning()
        ends = await consumer.end_offsets(partitions)
        found: list[ConsumerRecord] = []
        while len(found) < sum(ends.values()):
            for records in (await consumer.getmany(timeout_ms=200)).values():
                found += records
        return found
    finally:
        await close_consumer(consumer)


async def bury(settings: KafkaSettings, records: Sequence[ConsumerRecord], error: Exception) -> None:
    """As a consumer does that gives up on them."""
    dead_letters = DeadLetters(settings, "timers")
    for record in records:
        await dead_letters.keep(record, group="loom-timers", error=error, attempts=5)
    await dead_letters.close()


async def test_a_letter_that_lies_there_twice_is_shown_and_replayed_once(settings: KafkaSettings) -> None:
    """Kafka 3.3 point 7: de-duplicated by topic, partition and offset, since a consumer may write it twice."""
    await publish(settings, "a", "b")
    records = await read(settings)
    await bury(settings, [*records, *records], ZeroDivisionError("a fault"))

    async with Box.open(settings) as box:
        shown = await box.read(replayed=False)
        replayed = await box.replay()

    assert sorted(letter.key for letter in shown) == ["shop/a", "shop/b"]
    assert {(letter.error, letter.detail, letter.attempts) for letter in shown} == {("ZeroDivisionError", "a fault", 5)}
    assert {letter.origin for letter in replayed} == {(one.topic, one.partition, one.offset) for one in records}
    assert sorted(_as_sent(one) for one in await read(settings)) == sorted(_as_sent(one) for one in records * 2)


async def test_a_replay_goes_on_where_the_last_one_ended(settings: KafkaSettings) -> None:
    """What was replayed stays to be looked at, and is not replayed again."""
    await publish(settings, "a")
    await bury(settings, await read(settings), ValueError())
    async with Box.open(settings) as box:
        assert len(await box.replay()) == 1
    await bury(settings, (await read(settings))[1:], ValueError())

    async with Box.open(settings) as box:
        assert len(await box.read(replayed=True)) == 2
        assert len(await box.replay()) == 1
        assert await box.replay() == []


async def test_whether_partitions_are_free_is_what_the_coordinator_says(settings: KafkaSettings) -> None:
    """Kafka 3.3 point 9: a member without any is healthy while others have them all."""
    group, topics = f"{settings.topic_prefix}g", [settings.topic_prefix + TOPIC]

    async def free() -> int:
        async with admin_of(settings, "test") as admin:
            return await count_free(admin, group, topics)

    assert await free() == 24
    consumer = consumer_of(settings, "test", group)
    consumer.subscribe(topics=topics)
    await consumer.start()
    assert await free() == 0
    await close_consumer(consumer)
    assert await free() == 24


def _as_sent(record: ConsumerRecord) -> tuple[Any, ...]:
    return record.key, record.value, record.headers
