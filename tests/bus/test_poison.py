"""Records that no handler can do anything with: they go to the dead letters once, and the partition moves on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiokafka import AIOKafkaProducer
from aiokafka.structs import ConsumerRecord

from bus.ground import CREATED_AT, PARKED, envelopes, ground, parked, read_all, read_committed, running_bus
from bus.waiting import until
from fixtures.kafka import Kafka
from loom.kernel.hints import Envelope, ExecutionParked, Hint
from loom_servicekit.bus.kafka.records import record_of
from loom_servicekit.bus.port import MessageBus, Outcome
from loom_servicekit.bus.settings import KafkaSettings
from loom_servicekit.topics import DEAD_LETTERS

GROUP = "poisoned"
KEY = b"shop/poison"
GOOD = record_of(Envelope(hint=parked("poison"), created_at=CREATED_AT), cluster="loom")
RECORD_MAX = 1_000_000


def headers(**changed: bytes) -> list[tuple[str, bytes]]:
    """Those of a good record, some of them changed."""
    return [(name, changed.get(name, value)) for name, value in GOOD.headers]


NOT_JSON = (b"{ no json", headers())
UNKNOWN_MAJOR = (GOOD.value, headers(ce_type=b"dev.loom.execution-parked.v2"))
NO_EVENT = (b"hello", [])
EMPTY = (None, headers())
FORGED = (b'{"namespace": "shop"}', headers())
HUGE = (b'"' + b"x" * RECORD_MAX + b'"', headers())
POISON = {
    "not json": NOT_JSON,
    "unknown major": UNKNOWN_MAJOR,
    "no event": NO_EVENT,
    "empty": EMPTY,
    "fields missing": FORGED,
    "1,000,000 bytes": HUGE,
}


async def put(settings: KafkaSettings, value: bytes | None, headers: list[tuple[str, bytes]]) -> None:
    """Behind the outbox's back."""
    producer = AIOKafkaProducer(bootstrap_servers=list(settings.bootstrap), max_request_size=2 << 20)
    await producer.start()
    await producer.send_and_wait(settings.topic_prefix + PARKED, value, key=KEY, headers=headers, partition=0)
    await producer.stop()


@asynccontextmanager
async def consuming(settings: KafkaSettings, handled: list[str]) -> AsyncIterator[MessageBus]:
    """A consumer that keeps what it handled; what is named `bug` breaks it."""

    async def handle(hint: Hint) -> None:
        assert isinstance(hint, ExecutionParked)
        handled.append(hint.execution)
        if hint.execution == "bug":
            raise KeyError("a bug of ours")

    async with running_bus(settings) as bus:
        subscription = bus.subscribe((ExecutionParked,), handle, group=GROUP)
        try:
            yield bus
        finally:
            await subscription.stop()


async def letters(settings: KafkaSettings) -> list[ConsumerRecord]:
    """What was given up on."""
    return await read_all(settings, DEAD_LETTERS.name)


async def has_committed(settings: KafkaSettings, count: int) -> bool:
    """The group has so many behind it."""
    return await read_committed(settings, GROUP, PARKED) == count


async def test_what_is_none_of_ours_is_buried_once_and_the_partition_moves_on(kafka: Kafka) -> None:
    """I44, kafka 3.3 point 7: at once, unchanged, with where it was and why; a handler never sees it."""
    handled: list[str] = []
    async with ground(kafka, partitions=1) as settings, consuming(settings, handled) as bus:
        for value, given in POISON.values():
            await put(settings, value, given)
        await bus.publish(envelopes(["after"]), within_s=30)

        await until(lambda: has_committed(settings, len(POISON) + 1))
        buried = await letters(settings)

    assert handled == ["after"]
    assert sorted((record.value or b"")[:100] for record in buried) == sorted(
        (value or b"")[:100] for value, _ in POISON.values()
    )
    for record in buried:
        marks = {name: value.decode() for name, value in record.headers if name.startswith("x-")}
        assert record.key == KEY
        assert marks["x-original-topic"] == settings.topic_prefix + PARKED
        assert marks["x-original-partition"] == "0"
        assert marks["x-error-class"] == "ContractViolation"
        assert marks["x-attempts"] == "0"
    assert sorted(int(dict(record.headers)["x-original-offset"]) for record in buried) == list(range(len(POISON)))


async def test_a_bug_is_tried_five_times_and_then_buried(kafka: Kafka) -> None:
    """I44: another fault than contention or an outage does not hold its lane for ever."""
    handled: list[str] = []
    async with ground(kafka, partitions=1) as settings, consuming(settings, handled) as bus:
        await bus.publish(envelopes(["bug", "after"]), within_s=30)

        await until(lambda: has_committed(settings, 2))
        (record,) = await letters(settings)

    assert handled.count("bug") == 5
    assert handled.count("after") == 1
    assert dict(record.headers)["x-error-class"] == b"KeyError"
    assert dict(record.headers)["x-attempts"] == b"5"


async def test_a_hint_too_large_for_the_broker_is_refused_and_its_neighbours_are_not(
    kafka: Kafka,
) -> None:
    """Kafka 2.4 point 7: it never reaches the broker, and the producer stays usable."""
    async with ground(kafka) as settings, running_bus(settings) as bus:
        big = Envelope(hint=parked("x" * 2 * RECORD_MAX), created_at=CREATED_AT)

        outcomes = await bus.publish([*envelopes(["one"]), big, *envelopes(["two"])], within_s=30)

        assert outcomes == (Outcome.ACKNOWLEDGED, Outcome.REFUSED, Outcome.ACKNOWLEDGED)
        assert await bus.publish(envelopes(["three"]), within_s=30) == (Outcome.ACKNOWLEDGED,)
        assert len(await read_all(settings, PARKED)) == 3
