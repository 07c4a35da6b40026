"""How a reader without a group leaves. A double stands for aiokafka's consumer."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from loom.kernel.hints import Hint
from loom_servicekit.bus.kafka import tail as tails
from loom_servicekit.bus.kafka.tail import Tail
from loom_servicekit.bus.settings import KafkaSettings


class Reading:
    """A consumer that hears nothing. `start_s`, `stop_s`: how long it takes for that."""

    def __init__(self, *, start_s: float = 0, stop_s: float = 0) -> None:
        self._start_s, self._stop_s = start_s, stop_s
        self.polled = asyncio.Event()
        self.stopped = False
        self._client = SimpleNamespace(_sync_task=None)

    def subscribe(self, *, topics: list[str]) -> None:
        return

    async def start(self) -> None:
        await asyncio.sleep(self._start_s)

    async def seek_to_end(self) -> None:
        return

    async def getmany(self, *, timeout_ms: int) -> dict[Any, Any]:
        self.polled.set()
        await asyncio.sleep(timeout_ms / 1000)
        return {}

    async def stop(self) -> None:
        await asyncio.sleep(self._stop_s)
        self.stopped = True


async def ignore(hint: Hint) -> None:
    """Nothing is heard."""


def follow(consumer: Reading, monkeypatch: pytest.MonkeyPatch) -> Tail:
    """A tail that has this consumer."""
    monkeypatch.setattr(tails, "consumer_of", lambda *_: consumer)
    check: Any = SimpleNamespace(found=lambda: asyncio.sleep(0, frozenset({"t"})))
    return Tail(KafkaSettings(), "s", topics=["t"], handler=ignore, missed=lambda: None, check=check)


async def test_a_consumer_that_takes_long_to_close_is_closed_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kafka 3.4: what is left half closed goes on asking for metadata for as long as the process lives."""
    consumer = Reading(stop_s=1)
    tail = follow(consumer, monkeypatch)
    await consumer.polled.wait()

    await tail.stop()

    assert consumer.stopped


async def test_a_start_that_hangs_keeps_nobody_from_leaving(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kafka 3.4: it is given up, and what there is of it is closed."""
    consumer = Reading(start_s=3_600)
    tail = follow(consumer, monkeypatch)
    await asyncio.sleep(0)

    async with asyncio.timeout(5):
        await tail.stop()

    assert consumer.stopped


async def test_a_consumer_that_cannot_be_made_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kafka 3.2: certificates are renewed under a process that runs; for a moment the file is not there."""
    consumer, made = Reading(), iter([FileNotFoundError("ca.pem")])
    tail = follow(consumer, monkeypatch)

    def make(*given: object) -> Reading:
        for error in made:
            raise error
        return consumer

    monkeypatch.setattr(tails, "consumer_of", make)
    async with asyncio.timeout(10):
        await consumer.polled.wait()
    await tail.stop()

    assert consumer.stopped
