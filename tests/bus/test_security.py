"""Kafka 3.6 on a broker that insists: SASL_SSL with SCRAM-SHA-512, by settings alone."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace

import pytest

from fixtures.kafka_secured import PASSWORD, USERNAME, SecuredKafka, secured_kafka
from loom.errors import StoreUnavailable
from loom.ids import Instant
from loom.kernel.hints import Envelope, ExecutionParked, Hint
from loom_servicekit.app import Life
from loom_servicekit.bus.kafka.topics import check_topics, create_topics
from loom_servicekit.bus.opening import open_bus
from loom_servicekit.bus.port import Outcome
from loom_servicekit.bus.settings import KafkaSettings
from servicekit.test_bus import parked


@pytest.fixture(scope="module")
def secured() -> Iterator[SecuredKafka]:
    """One for this module."""
    with secured_kafka() as server:
        yield server


@pytest.fixture
def settings(secured: SecuredKafka) -> KafkaSettings:
    """Of whom the broker knows."""
    return KafkaSettings(
        bootstrap=(secured.bootstrap,),
        security="sasl_ssl",
        username=USERNAME,
        password=PASSWORD,
        ca_file=secured.ca_file,
        linger_ms=0,
    )


async def test_a_hint_travels_over_tls_by_whom_the_broker_knows(settings: KafkaSettings) -> None:
    """Every client of the bus: admin, producer, a group's consumer."""
    await create_topics(settings, replication=1)
    heard: asyncio.Queue[Hint] = asyncio.Queue()
    async with (
        open_bus(settings, service="event-store") as (writer, writers),
        open_bus(settings, service="timers") as (reader, readers),
    ):
        life = Life([*writers, *readers])
        await life.start()
        subscription = reader.subscribe((ExecutionParked,), heard.put, group="loom-timers")

        told = await writer.publish([Envelope(hint=parked(), created_at=Instant(0))], within_s=30)

        assert told == (Outcome.ACKNOWLEDGED,)
        assert await asyncio.wait_for(heard.get(), 30) == parked()
        assert life.why_unready() == {}
        await subscription.stop()
        await life.stop()


@pytest.mark.parametrize("wrong", [{"password": "another"}, {"ca_file": None}, {"security": "plaintext"}])
async def test_whoever_it_does_not_know_is_let_nowhere(settings: KafkaSettings, wrong: dict[str, None]) -> None:
    """Negative control: another password, a certificate that nobody vouches for, no TLS. None waits long."""
    with pytest.raises(StoreUnavailable):
        async with asyncio.timeout(30):
            await check_topics(replace(settings, **wrong))
