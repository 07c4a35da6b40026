"""Records that a consumer gave up on: the original as it was, with headers that say where it was and why it is here."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from aiokafka import AIOKafkaConsumer
from aiokafka.errors import KafkaError
from aiokafka.structs import ConsumerRecord, TopicPartition

from loom.errors import StoreUnavailable
from loom_servicekit.bus.kafka.producer import Producer, producer_of
from loom_servicekit.bus.kafka.records import Record
from loom_servicekit.bus.kafka.security import connection_of
from loom_servicekit.bus.port import Outcome
from loom_servicekit.bus.settings import KafkaSettings
from loom_servicekit.counts import Count
from loom_servicekit.topics import DEAD_LETTERS, TOPICS

KEEP_S = 10.0
REPLAY_S = 30.0
SILENT_S = 30.0
REPLAYER = "loom-dead-letters"

KEPT = Count("loom.bus.dead.letters", "Records that a consumer gave up on")

_MARK = "x-"


class DeadLetters:
    """Where the consumers of a process put what they give up on. A record may be put there twice."""

    def __init__(self, settings: KafkaSettings, service: str) -> None:
        build = partial(producer_of, settings, service, request_bytes=DEAD_LETTERS.bytes_max)
        self._producer = Producer(build)
        self._topic = settings.topic_prefix + DEAD_LETTERS.name

    async def keep(self, record: ConsumerRecord, *, group: str, error: Exception, attempts: int) -> None:
        """Returns when it is written. Raises StoreUnavailable if that is not known."""
        letter = letter_of(record, topic=self._topic, group=group, error=error, attempts=attempts)
        (outcome,) = await self._producer.send([letter], within_s=KEEP_S)
        if outcome is not Outcome.ACKNOWLEDGED:
            raise StoreUnavailable(f"{self._topic} did not take a dead letter within {KEEP_S:g} s: {outcome}")
        KEPT.add(topic=record.topic, group=group, error=type(error).__name__)

    async def close(self) -> None:
        await self._producer.close()


def letter_of(record: ConsumerRecord, *, topic: str, group: str, error: Exception, attempts: int) -> Record:
    """The record, unchanged but for further headers. Where it had neither key nor value the value is empty: the client
    sends no record without both, and what cannot be buried holds its partition for ever.
    """
    marks = {
        "x-original-topic": record.topic,
        "x-original-partition": str(record.partition),
        "x-original-offset": str(record.offset),
        "x-group": group,
        "x-error-class": type(error).__name__,
        "x-error": str(error)[:1000],
        "x-attempts": str(attempts),
    }
    headers = [*record.headers, *((name, text.encode("utf-8", "replace")) for name, text in marks.items())]
    value = b"" if record.key is None and record.value is None else record.value
    return Record(topic=topic, key=record.key, value=value, headers=headers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """A dead letter as it lies in its topic. Its origin tells it apart: the topic may hold it twice."""

    partition: int
    offset: int
    topic: str
    original_partition: int
    original_offset: int
    group: str
    error: str
    detail: str
    attempts: int
    key: str
    is_replayable: bool
    record: Record

    @property
    def origin(self) -> tuple[str, int, int]:
        return self.topic, self.original_partition, self.original_offset


def letter_from(record: ConsumerRecord) -> Letter:
    """Read a record of the dead letters' topic. One that names no origin is its own; one from elsewhere than our topics
    is shown, and goes nowhere: whoever may write here would have others written to.
    """
    marks = {name: value.decode("utf-8", "replace") for name, value in record.headers if name.startswith(_MARK)}
    try:
        topic = marks["x-original-topic"]
        partition, offset = int(marks["x-original-partition"]), int(marks["x-original-offset"])
        attempts = int(marks["x-attempts"])
    except (KeyError, ValueError):
        topic, partition, offset, attempts = record.topic, record.partition, record.offset, 0
    headers = [(name, value) for name, value in record.headers if not name.startswith(_MARK)]
    prefix = record.topic.removesuffix(DEAD_LETTERS.name)
    return Letter(
        partition=record.partition,
        offset=record.offset,
        topic=topic,
        original_partition=partition,
        original_offset=offset,
        is_replayable=topic in {prefix + ours.name for ours in TOPICS if ours is not DEAD_LETTERS},
        group=marks.get("x-group", ""),
        error=marks.get("x-error-class", ""),
        detail=marks.get("x-error", ""),
        attempts=attempts,
        key=(record.key or b"").decode("utf-8", "replace"),
        record=Record(topic=topic, key=record.key, value=record.value, headers=headers),
    )


class Box:
    """The dead letters' topic as an operator sees it: what has not been replayed yet, and all of it."""

    def __init__(
        self, settings: KafkaSettings, consumer: AIOKafkaConsumer, partitions: Sequence[TopicPartition]
    ) -> None:
        self._settings = settings
        self._consumer = consumer
        self._partitions = partitions

    @classmethod
    @asynccontextmanager
    async def open(cls, settings: KafkaSettings) -> AsyncIterator[Box]:
        """Raises StoreUnavailable where no broker answers."""
        topic = settings.topic_prefix + DEAD_LETTERS.name
        consumer = AIOKafkaConsumer(
            **connection_of(settings, REPLAYER),
            group_id=settings.topic_prefix + REPLAYER,
            enable_auto_commit=False,
            auto_offset_reset="earliest",
        )
        try:
            await consumer.start()
            partitions = [TopicPartition(topic, number) for number in range(DEAD_LETTERS.partitions)]
            consumer.assign(partitions)
            yield cls(settings, consumer, partitions)
        except (KafkaError, OSError) as error:
            raise StoreUnavailable(f"the brokers do not answer: {error!r}") from error
        finally:
            await consumer.stop()

    async def read(self, *, replayed: bool) -> list[Letter]:
        """Those there now, each once, in the order of their partitions. `replayed`: those that were replayed too.

        Raises TimeoutError when the brokers have said nothing for SILENT_S.
        """
        now = asyncio.get_running_loop().time
        letters: dict[tuple[str, int, int], Letter] = {}
        async with asyncio.timeout(SILENT_S) as silence:
            ends = await self._consumer.end_offsets(self._partitions)
            await self._go_back(to_the_beginning=replayed)
            for partition in self._partitions:
                while await self._consumer.position(partition) < ends[partition]:
                    batches = await self._consumer.getmany(partition, timeout_ms=1_000)
                    for record in batches.get(partition, ()):
                        letter = letter_from(record)
                        letters.setdefault(letter.origin, letter)
                        silence.reschedule(now() + SILENT_S)
        return list(letters.values())

    async def _go_back(self, *, to_the_beginning: bool) -> None:
        await self._consumer.seek_to_beginning(*self._partitions)
        for partition in () if to_the_beginning else self._partitions:
            replayed_to = await self._consumer.committed(partition)
            if replayed_to is not None:
                self._consumer.seek(partition, replayed_to)

    async def replay(self) -> list[Letter]:
        """Publish those not replayed yet to where they came from, once each.

        Raises StoreUnavailable: some were not, and all are replayed again next time, which is harmless.
        """
        letters = [letter for letter in await self.read(replayed=False) if letter.is_replayable]
        producer = Producer(partial(producer_of, self._settings, REPLAYER))
        try:
            outcomes = await producer.send([letter.record for letter in letters], within_s=REPLAY_S)
        finally:
            await producer.close()
        missing = sum(outcome is not Outcome.ACKNOWLEDGED for outcome in outcomes)
        if missing:
            raise StoreUnavailable(f"{missing} of {len(letters)} dead letters were not acknowledged; replay them again")
        await self._consumer.commit(
            {partition: await self._consumer.position(partition) for partition in self._partitions}
        )
        return letters


def form_of(letter: Letter) -> dict[str, Any]:
    """What is shown of it."""
    return {
        "topic": letter.topic,
        "partition": letter.original_partition,
        "offset": letter.original_offset,
        "key": letter.key,
        "group": letter.group,
        "error": letter.error,
        "detail": letter.detail,
        "attempts": letter.attempts,
    }
