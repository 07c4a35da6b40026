"""Sends records until one fails; then that producer is closed by force, and the next send makes another."""

from __future__ import annotations

import asyncio
import logging
from asyncio import Future
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError, MessageSizeTooLargeError, ProducerClosed

from loom_servicekit.bus.kafka.leftovers import end, metadata_task_of
from loom_servicekit.bus.kafka.records import Record
from loom_servicekit.bus.kafka.security import connection_of
from loom_servicekit.bus.port import Outcome
from loom_servicekit.bus.settings import KafkaSettings
from loom_servicekit.counts import Count

log = logging.getLogger(__name__)

BATCH_BYTES = 1 << 16
REQUEST_BYTES = 1 << 20
GRACEFUL_S = 2.0

REPLACED = Count("loom.bus.producers.replaced", "Producers closed since something they sent failed or came too late")

Build = Callable[[], AIOKafkaProducer]


def producer_of(settings: KafkaSettings, service: str, *, request_bytes: int = REQUEST_BYTES) -> AIOKafkaProducer:
    """A producer that has not started. Each lives until something it sent failed."""
    return AIOKafkaProducer(
        **connection_of(settings, service),
        acks="all",
        enable_idempotence=settings.idempotent,
        linger_ms=settings.linger_ms,
        max_batch_size=BATCH_BYTES,
        max_request_size=request_bytes,
        request_timeout_ms=settings.request_ms,
    )


class Producer:
    """At least once. Which records were taken is known from their futures alone.

    A batch of an idempotent producer that failed has left a hole in its numbers, which the partition never forgives
    (kafka bug 20), and while a leader is away nothing fails at all (bug 1): hence a deadline of our own, and a producer
    that did not keep it, or any failure but MessageSizeTooLargeError, is not used again.
    """

    def __init__(self, build: Build) -> None:
        self._build = build
        self._starting = asyncio.Lock()
        self._producer: AIOKafkaProducer | None = None
        self._closing: set[asyncio.Task[None]] = set()
        self._closed = False

    async def send(self, records: Sequence[Record], *, within_s: float) -> list[Outcome]:
        """What became of each within the time; a producer that has to go is closed after the answer."""
        sent: list[Future[Any] | Outcome] = []
        producer: AIOKafkaProducer | None = None
        try:
            async with asyncio.timeout(within_s):
                producer = await self._started()
                for record in records:
                    sent.append(await self._hand_over(producer, record))
                await _settled(sent)
        except TimeoutError:
            log.warning("%d records were not acknowledged within %g s", _open(sent, records), within_s)
        except (KafkaError, OSError) as error:
            log.warning("records could not be sent: %r", error)
        finally:
            outcomes = [_outcome(one) for one in sent] + [Outcome.UNKNOWN] * (len(records) - len(sent))
            if Outcome.UNKNOWN in outcomes and producer is not None:
                self._replace(producer, sent)
        return outcomes

    async def close(self) -> None:
        """Nothing is waited for that is still under way, beyond GRACEFUL_S."""
        self._closed = True
        if self._producer is not None:
            self._replace(self._producer, ())
        await asyncio.gather(*self._closing)

    async def _started(self) -> AIOKafkaProducer:
        async with self._starting:
            if self._closed:
                raise ProducerClosed
            if self._producer is None:
                producer = self._build()
                try:
                    await producer.start()
                except BaseException:
                    self._close_later(producer)  # one that did not start is of no use any more
                    raise
                self._producer = producer
            return self._producer

    async def _hand_over(self, producer: AIOKafkaProducer, record: Record) -> Future[Any] | Outcome:
        try:
            future: Future[Any] = await producer.send(
                record.topic, key=record.key, value=record.value, headers=record.headers
            )
            return future
        except MessageSizeTooLargeError:
            return Outcome.REFUSED

    def _replace(self, producer: AIOKafkaProducer, sent: Sequence[Future[Any] | Outcome]) -> None:
        for one in sent:
            if isinstance(one, Future):
                one.add_done_callback(_retrieve)
        if producer is self._producer:
            self._producer = None
            if not self._closed:
                REPLACED.add()
            self._close_later(producer)

    def _close_later(self, producer: AIOKafkaProducer) -> None:
        task = asyncio.create_task(close_by_force(producer), name="closing a producer")
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)


async def close_by_force(producer: AIOKafkaProducer) -> None:
    """In two steps: `stop()` has GRACEFUL_S; then the sender is cancelled, what it holds failed, the client closed.

    It reaches into aiokafka 0.14, whose `stop()` waits for as long as a leader is away (kafka bug 1): to be looked at
    with every new version.
    """
    metadata = metadata_task_of(producer.client)
    stopping = asyncio.create_task(producer.stop())
    await asyncio.wait({stopping}, timeout=GRACEFUL_S)
    if not stopping.done():
        sender = producer._sender._sender_task
        if sender is not None:
            sender.cancel()
        _fail_all(producer._message_accumulator)
        with suppress(Exception):
            await asyncio.wait_for(producer.client.close(), GRACEFUL_S)
        await asyncio.wait({stopping}, timeout=GRACEFUL_S)
        stopping.cancel()
    await asyncio.gather(stopping, return_exceptions=True)
    await end(metadata)


def _fail_all(accumulator: Any) -> None:
    """Batches that wait for another try are not among those that their own callbacks take themselves out of."""
    waiting = [batch for batches in accumulator._batches.values() for batch in batches]
    accumulator._pending_batches.update(waiting)
    held = list(accumulator._pending_batches)
    accumulator.fail_all(ProducerClosed())
    for batch in held:
        _retrieve(batch._drain_waiter)


async def _settled(sent: Sequence[Future[Any] | Outcome]) -> None:
    waiting = [one for one in sent if isinstance(one, Future)]
    if waiting:
        await asyncio.wait(waiting)


def _open(sent: Sequence[Future[Any] | Outcome], records: Sequence[Record]) -> int:
    return len(records) - sum(not isinstance(one, Future) or one.done() for one in sent)


def _outcome(one: Future[Any] | Outcome) -> Outcome:
    if isinstance(one, Outcome):
        return one
    if not one.done() or one.cancelled():
        return Outcome.UNKNOWN
    error = one.exception()
    if error is None:
        return Outcome.ACKNOWLEDGED
    log.warning("a record was not taken: %r", error)
    return Outcome.REFUSED if isinstance(error, MessageSizeTooLargeError) else Outcome.UNKNOWN


def _retrieve(future: Future[Any]) -> None:
    if future.done() and not future.cancelled():
        future.exception()
