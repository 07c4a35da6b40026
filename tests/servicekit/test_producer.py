"""Which producer is used again and which is not, judged by its futures alone. A double stands for aiokafka's."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest
from aiokafka.errors import (
    KafkaConnectionError,
    LeaderNotAvailableError,
    MessageSizeTooLargeError,
    OutOfOrderSequenceNumber,
    ProducerClosed,
)

from loom_servicekit.bus.kafka.leftovers import end
from loom_servicekit.bus.kafka.producer import Producer
from loom_servicekit.bus.kafka.records import Record
from loom_servicekit.bus.port import Outcome

TAKEN, REFUSED, UNKNOWN = Outcome.ACKNOWLEDGED, Outcome.REFUSED, Outcome.UNKNOWN


class Sending:
    """A producer of aiokafka: each record ends as `ends` says of its value, or never."""

    def __init__(self, **ends: Exception | None) -> None:
        self.ends = ends
        self.start_error: Exception | None = None
        self.stopped = False
        self.futures: list[asyncio.Future[Any]] = []
        self.client = SimpleNamespace(_sync_task=None)

    async def start(self) -> None:
        if self.start_error is not None:
            raise self.start_error

    async def send(self, topic: str, *, key: Any, value: bytes, headers: Any) -> asyncio.Future[Any]:
        end = self.ends.get(value.decode(), ...)
        if isinstance(end, MessageSizeTooLargeError) and end.args == ("at once",):
            raise end
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.futures.append(future)
        if isinstance(end, Exception):
            future.set_exception(end)
        elif end is None:
            future.set_result(object())
        return future

    async def stop(self) -> None:
        self.stopped = True
        for future in self.futures:
            if not future.done():
                future.set_exception(ProducerClosed())


class Works:
    """Builds one after the other of what is there."""

    def __init__(self, *made: Sending) -> None:
        self.made = list(made)
        self.built: list[Sending] = []
        self.producer = Producer(self._build)  # type: ignore[arg-type]

    def _build(self) -> Sending:
        self.built.append(self.made[len(self.built)])
        return self.built[-1]

    async def send(self, *values: str, within_s: float = 5) -> list[Outcome]:
        records = [Record(topic="t", key=b"k", value=value.encode(), headers=[]) for value in values]
        return await self.producer.send(records, within_s=within_s)


@pytest.fixture
async def works() -> AsyncIterator[list[Works]]:
    """Closed at the end."""
    opened: list[Works] = []
    yield opened
    for one in opened:
        await one.producer.close()


async def open_works(works: list[Works], *made: Sending) -> Works:
    """Over these producers."""
    works.append(Works(*made))
    return works[-1]


async def settle() -> None:
    """Let what was begun in the background end."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test_what_is_acknowledged_leaves_the_producer_in_use(works: list[Works]) -> None:
    """Negative control for those below."""
    at = await open_works(works, Sending(a=None, b=None))

    assert await at.send("a", "b") == [TAKEN, TAKEN]
    assert await at.send("a") == [TAKEN]
    assert len(at.built) == 1


@pytest.mark.parametrize("error", [OutOfOrderSequenceNumber(), LeaderNotAvailableError()])
async def test_a_future_that_failed_replaces_the_producer(works: list[Works], error: Exception) -> None:
    """Kafka bugs 2 and 20: the partition of a hole is dead for that producer's life, though its sender lives on."""
    at = await open_works(works, Sending(a=None, b=error), Sending(a=None, b=None))

    assert await at.send("a", "b") == [TAKEN, UNKNOWN]
    await settle()
    assert at.built[0].stopped
    assert await at.send("b") == [TAKEN]


@pytest.mark.parametrize("words", [("at once",), ("by the broker",)])
async def test_a_record_that_is_too_large_is_refused_and_harms_nothing(works: list[Works], words: tuple[str]) -> None:
    """Kafka 2.4 point 7: the one failure that leaves the producer usable."""
    at = await open_works(works, Sending(a=None, b=MessageSizeTooLargeError(*words)))

    assert await at.send("b", "a") == [REFUSED, TAKEN]
    assert await at.send("a") == [TAKEN]


async def test_a_deadline_is_kept_and_replaces_the_producer(works: list[Works]) -> None:
    """Kafka bug 1: while a leader is away no future fails; and none is left whose failure nobody hears."""
    at = await open_works(works, Sending(a=None), Sending(a=None, b=None))

    assert await at.send("a", "b", within_s=0.01) == [TAKEN, UNKNOWN]
    await settle()
    assert at.built[0].stopped
    assert await at.send("b") == [TAKEN]


async def test_one_that_does_not_start_is_built_anew(works: list[Works]) -> None:
    """Kafka 3.2: after a failed start, `stop()` and another object."""
    first = Sending(a=None)
    first.start_error = KafkaConnectionError("no broker")
    at = await open_works(works, first, Sending(a=None))

    assert await at.send("a") == [UNKNOWN]
    await settle()
    assert first.stopped
    assert await at.send("a") == [TAKEN]


async def test_two_that_fail_together_replace_one_producer(works: list[Works]) -> None:
    """The lanes of a consumer write their dead letters at the same time."""
    at = await open_works(works, Sending(a=OutOfOrderSequenceNumber()), Sending(a=None))

    assert await asyncio.gather(at.send("a"), at.send("a")) == [[UNKNOWN], [UNKNOWN]]
    assert await asyncio.gather(at.send("a"), at.send("a")) == [[TAKEN], [TAKEN]]
    assert len(at.built) == 2


async def test_a_cancelled_send_does_not_leave_its_producer_in_use(works: list[Works]) -> None:
    """Kafka 3.4: a relay that stops in mid-batch knows nothing of what it sent."""
    at = await open_works(works, Sending(), Sending(a=None))
    sending = asyncio.create_task(at.send("a"))
    await settle()
    sending.cancel()
    await asyncio.gather(sending, return_exceptions=True)

    assert await at.send("a") == [TAKEN]
    assert len(at.built) == 2


async def test_nothing_is_sent_after_the_end(works: list[Works]) -> None:
    """Kafka 3.4: closed is closed, and no other producer is made."""
    at = await open_works(works, Sending(a=None))
    await at.producer.close()

    assert await at.send("a") == [UNKNOWN]
    assert at.built == []


async def test_a_task_that_swallows_a_cancellation_is_cancelled_again() -> None:
    """Kafka bug 21: what looks for a leader that is away would look for one as long as the process lives."""
    swallowed = 0

    async def stubborn() -> None:
        nonlocal swallowed
        while True:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                swallowed += 1
                if swallowed == 3:
                    raise

    task = asyncio.create_task(stubborn())
    await settle()

    await end(task)

    assert (task.cancelled(), swallowed) == (True, 3)
