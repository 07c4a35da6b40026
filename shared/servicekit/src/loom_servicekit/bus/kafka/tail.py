"""A reader without a group: every partition, from the end, nothing committed. What it misses its owner is told of."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Collection, Iterable
from contextlib import asynccontextmanager
from random import Random

from aiokafka import AIOKafkaConsumer
from aiokafka.structs import ConsumerRecord, TopicPartition

from loom.errors import StoreUnavailable
from loom.kernel.backoff import full_jitter_ms
from loom_servicekit.bus.kafka.member import POLL_MS, close_consumer, consumer_of
from loom_servicekit.bus.kafka.records import envelope_of
from loom_servicekit.bus.kafka.topics import TopicsCheck
from loom_servicekit.bus.lanes import ContractViolation
from loom_servicekit.bus.port import Handler, Missed
from loom_servicekit.bus.settings import KafkaSettings
from loom_servicekit.pauses import pause

log = logging.getLogger(__name__)

START_S = 30.0
RETRY_CAP_MS = 5_000


class Tail:
    """Never keeps anybody waiting and is never a reason to be unready: nothing depends on it."""

    def __init__(
        self,
        settings: KafkaSettings,
        service: str,
        *,
        topics: Collection[str],
        handler: Handler,
        missed: Missed,
        check: TopicsCheck,
        rng: Random | None = None,
    ) -> None:
        self._settings = settings
        self._service = service
        self._names = frozenset(topics)
        self._handler = handler
        self._missed = missed
        self._check = check
        self._rng = rng or Random()
        self._next: dict[TopicPartition, int] = {}
        self._stopping = asyncio.Event()
        self._is_closing = False
        self._task = asyncio.create_task(self._run(), name="tail")

    async def stop(self) -> None:
        """A start that hangs is cancelled; a consumer that is being closed has the time it takes."""
        self._stopping.set()
        await asyncio.wait({self._task}, timeout=2 * POLL_MS / 1000)
        if not self._is_closing:
            self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    def why_unready(self) -> str | None:
        return None

    async def _run(self) -> None:
        failures = 0
        while not self._stopping.is_set():
            try:
                async with self._opened() as consumer:
                    failures = 0
                    await self._poll(consumer)
            except Exception as error:
                failures += 1
                if failures == 1:
                    log.warning("tail of %s: %r", ", ".join(sorted(self._names)), error)
                await pause(self._stopping, full_jitter_ms(failures, self._rng, cap_ms=RETRY_CAP_MS))

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[AIOKafkaConsumer]:
        """A consumer that has started; what there is of it is closed, whatever happens."""
        consumer = consumer_of(self._settings, self._service, None)
        try:
            async with asyncio.timeout(START_S):
                await self._start(consumer)
            yield consumer
        finally:
            self._is_closing = True
            await close_consumer(consumer)
            self._is_closing = False

    async def _start(self, consumer: AIOKafkaConsumer) -> None:
        """At the end of every partition; what was told before is taken for missed."""
        missing = self._names - await self._check.found()
        if missing:
            raise StoreUnavailable(f"missing topics: {', '.join(sorted(missing))}")
        consumer.subscribe(topics=[self._settings.topic_prefix + name for name in self._names])
        await consumer.start()
        await consumer.seek_to_end()
        self._next.clear()
        self._missed()

    async def _poll(self, consumer: AIOKafkaConsumer) -> None:
        while not self._stopping.is_set():
            batches = await consumer.getmany(timeout_ms=POLL_MS)
            for partition, records in batches.items():
                await self._hear(partition, records)

    async def _hear(self, partition: TopicPartition, records: Iterable[ConsumerRecord]) -> None:
        for record in records:
            if record.offset > self._next.get(partition, record.offset):
                self._missed()
            self._next[partition] = record.offset + 1
            try:
                await self._handler(envelope_of(record.value, record.headers, timestamp=record.timestamp).hint)
            except ContractViolation as violation:
                log.warning("%s: %s", partition, violation)
            except Exception:
                log.exception("%s: a handler failed", partition)
