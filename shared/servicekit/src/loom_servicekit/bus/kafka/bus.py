"""The port over Kafka: one producer, one check of the topics, a consumer for each subscription."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial

from loom.kernel.hints import Envelope, Hint
from loom_servicekit.bus.kafka.consumer import GroupSubscription
from loom_servicekit.bus.kafka.dead_letters import DeadLetters
from loom_servicekit.bus.kafka.logs import quieten
from loom_servicekit.bus.kafka.producer import Producer, producer_of
from loom_servicekit.bus.kafka.records import record_of
from loom_servicekit.bus.kafka.tail import Tail
from loom_servicekit.bus.kafka.topics import TopicsCheck
from loom_servicekit.bus.port import Handler, Missed, Outcome, Subscription, nothing_missed
from loom_servicekit.bus.settings import KafkaSettings
from loom_servicekit.topics import ServiceName


class KafkaBus:
    """Made by `open`. It sends and reads nothing before `check`, which the caller starts, has seen the topics."""

    def __init__(self, settings: KafkaSettings, service: ServiceName) -> None:
        self._settings = settings
        self._service = service
        self._producer = Producer(partial(producer_of, settings, service))
        self._dead_letters = DeadLetters(settings, service)
        self.check = TopicsCheck(settings, service)

    @classmethod
    @asynccontextmanager
    async def open(cls, settings: KafkaSettings, *, service: ServiceName) -> AsyncIterator[KafkaBus]:
        """Connects when it is used, not before; closed on the way out, whatever the brokers do."""
        quieten()
        bus = cls(settings, service)
        try:
            yield bus
        finally:
            await asyncio.gather(bus._producer.close(), bus._dead_letters.close())

    async def publish(self, envelopes: Sequence[Envelope], *, within_s: float) -> tuple[Outcome, ...]:
        """Hints of a topic that is not there are withheld: sent, they would look like a dead broker (kafka 3.2)."""
        clock = asyncio.get_running_loop()
        deadline = clock.time() + within_s
        outcomes = dict.fromkeys(range(len(envelopes)), Outcome.UNKNOWN)
        try:
            found = await asyncio.wait_for(self.check.found(), within_s)
        except TimeoutError:
            return tuple(outcomes.values())
        sendable = [number for number, envelope in enumerate(envelopes) if envelope.hint.TOPIC in found]
        for number in outcomes.keys() - set(sendable):
            outcomes[number] = Outcome.WITHHELD
        records = [
            record_of(envelopes[number], cluster=self._settings.cluster, prefix=self._settings.topic_prefix)
            for number in sendable
        ]
        if records:
            sent = await self._producer.send(records, within_s=max(0, deadline - clock.time()))
            outcomes.update(zip(sendable, sent, strict=True))
        if Outcome.UNKNOWN in outcomes.values():
            self.check.wake()
        return tuple(outcomes.values())

    def subscribe(
        self,
        topics: tuple[type[Hint], ...],
        handler: Handler,
        *,
        group: str | None,
        coalesce: bool = False,
        missed: Missed = nothing_missed,
    ) -> Subscription:
        names = [topic.TOPIC for topic in topics]
        if group is None:
            return Tail(self._settings, self._service, topics=names, handler=handler, missed=missed, check=self.check)
        return GroupSubscription(
            self._settings,
            self._service,
            topics=names,
            handler=handler,
            group=group,
            coalesce=coalesce,
            check=self.check,
            dead_letters=self._dead_letters,
        )
