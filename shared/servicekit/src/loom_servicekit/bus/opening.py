"""The bus of a process: Kafka where brokers are named, else the one in memory."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from loom_servicekit.app import Service
from loom_servicekit.bus.in_process import InProcessBus
from loom_servicekit.bus.port import MessageBus
from loom_servicekit.bus.settings import KafkaSettings
from loom_servicekit.topics import ServiceName


@asynccontextmanager
async def open_bus(
    kafka: KafkaSettings, *, service: ServiceName
) -> AsyncIterator[tuple[MessageBus, tuple[Service, ...]]]:
    """The bus as `service` uses it, and what tells whether its topics are as they should be. Closed on the way out."""
    if not kafka.bootstrap:
        yield InProcessBus(), ()
        return
    from loom_servicekit.bus.kafka.bus import KafkaBus  # aiokafka is loaded by those who use it

    async with KafkaBus.open(kafka, service=service) as bus:
        yield bus, (Service(name="bus", background=(bus.check,)),)
