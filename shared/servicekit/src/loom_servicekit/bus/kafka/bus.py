"""The port over Kafka."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from loom.kernel.hints import Envelope, Hint
from loom_servicekit.bus.port import Handler, Outcome, Subscription
from loom_servicekit.bus.settings import KafkaSettings
from loom_servicekit.loops import Loop
from loom_servicekit.topics import ServiceName


class KafkaBus:
    """Not written yet: it takes no hint, and gives none."""

    check: Loop

    @classmethod
    @asynccontextmanager
    async def open(cls, settings: KafkaSettings, *, service: ServiceName) -> AsyncIterator[KafkaBus]:
        raise NotImplementedError("the bus over Kafka")
        yield cls()

    async def publish(self, envelopes: Sequence[Envelope], *, within_s: float) -> tuple[Outcome, ...]:
        raise NotImplementedError

    def subscribe(
        self, topics: tuple[type[Hint], ...], handler: Handler, *, group: str | None, coalesce: bool = False
    ) -> Subscription:
        raise NotImplementedError
