from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.errors import KafkaConnectionError

from fixtures.kafka import Kafka, fresh_prefix
from fixtures.kafka_jars import NoKafka, installation, list_missing
from fixtures.proxy import running_proxy
from loom_servicekit.topics import TOPICS

TESTS = Path(__file__).resolve().parents[1]


async def test_a_killed_broker_comes_back_on_its_ports_with_what_it_acknowledged(own_kafka: Kafka) -> None:
    """The same folder, the same address; the page cache survives the process (kafka 7.2)."""
    await own_kafka.create("t")
    await send(own_kafka, b"before")

    own_kafka.stop(signal.SIGKILL)
    own_kafka.start()

    await send(own_kafka, b"after")
    assert await read(own_kafka, 2) == [b"before", b"after"]


async def test_topics_of_a_prefix_come_and_go_alone(kafka: Kafka) -> None:
    """Tests share a broker: one's topics are nobody else's."""
    mine, others = fresh_prefix(), fresh_prefix()
    await kafka.create_topics(mine, partitions=1)
    await kafka.create_topics(others, partitions=1)
    await kafka.create_topics(mine, partitions=1)

    await kafka.delete_topics(mine)

    async with asyncio.timeout(10):
        while f"{mine}loom.child-done.v1" in (names := await kafka.list_topics()):  # noqa: ASYNC110 - the broker decides
            await asyncio.sleep(0.02)
    assert len([name for name in names if name.startswith(others)]) == len(TOPICS)
    await kafka.delete_topics(others)


async def test_a_stalled_proxy_holds_bytes_back_and_a_cut_one_refuses(kafka: Kafka) -> None:
    """What network faults are made of (kafka 7.2): stalled is not lost, cut is refused at once."""
    async with running_proxy() as proxy:
        proxy.target_port = int(kafka.bootstrap.rpartition(":")[2])
        through = Kafka(f"127.0.0.1:{proxy.port}")

        proxy.stall()
        held = asyncio.create_task(through.list_topics())
        await kafka.list_topics()
        assert not held.done()
        proxy.flow()
        assert await held == await kafka.list_topics()

        await proxy.cut()
        with pytest.raises(KafkaConnectionError):
            await through.list_topics()
        await proxy.open()
        assert await through.list_topics() == await kafka.list_topics()


def test_jars_in_the_cache_need_neither_maven_nor_the_network() -> None:
    """A machine that ran the tests once runs them again wherever it is."""
    known = installation()
    path = os.pathsep.join([str(known.java.parent)])

    found = subprocess.run(
        [sys.executable, "-m", "fixtures.kafka_jars", "missing"],
        env={**os.environ, "PATH": path, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert found.stdout.strip() == ""


def test_without_java_or_jars_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A test that needs a broker and finds none fails, and says what is missing."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("LOOM_KAFKA_JARS", raising=False)

    assert list_missing() == ["default-jre-headless", "maven"]
    with pytest.raises(NoKafka, match="default-jre-headless maven"):
        installation.__wrapped__()


async def send(kafka: Kafka, value: bytes) -> None:
    """One record into topic `t`, acknowledged."""
    producer = AIOKafkaProducer(bootstrap_servers=kafka.bootstrap, acks="all")
    await producer.start()
    await producer.send_and_wait("t", value)
    await producer.stop()


async def read(kafka: Kafka, count: int) -> list[bytes]:
    """The first records of topic `t`."""
    consumer = AIOKafkaConsumer(bootstrap_servers=kafka.bootstrap, auto_offset_reset="earliest")
    await consumer.start()
    consumer.assign([TopicPartition("t", 0)])
    values = [(await consumer.getone()).value for _ in range(count)]
    await consumer.stop()
    return values
