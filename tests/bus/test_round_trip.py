"""A message from the outbox to a handler, and what any other program finds in Kafka on the way."""

from __future__ import annotations

import asyncio
import json

import pytest

from bus.ground import CREATED_AT, TRACEPARENT, ground, parked, read_all, read_group, running_bus
from bus.waiting import until
from fixtures.kafka import Kafka
from fixtures.spans import kept_spans, trace_id
from loom import tracing
from loom.clock import SystemClock
from loom.ids import ExecutionId, Incarnation, Instant, Namespace, Sequence
from loom.kernel.hints import ChildDone, Envelope, ExecutionParked, Hint, NotifyResume
from loom.tracing import CONTINUE_MS
from loom_servicekit.bus.port import MessageBus, Outcome

BIG = Incarnation(2**63 - 1)
CHILD_DONE = ChildDone(
    namespace=Namespace("shop"),
    parent=ExecutionId("parent"),
    parent_incarnation=BIG,
    child_key="käse/1",
    child=ExecutionId("parent~c1"),
    child_incarnation=Incarnation(11),
    status="completed",
    sequence=Sequence(9),
)
RUNNABLE = NotifyResume(
    namespace=Namespace("shop"),
    execution=ExecutionId("parent"),
    incarnation=BIG,
    queue=None,
    workflow="audit",
    reason="child-done",
    sequence=Sequence(5),
)
HINTS: tuple[Hint, ...] = (CHILD_DONE, parked("parent", park_seq=4), RUNNABLE)


def sent(*hints: Hint) -> list[Envelope]:
    """As the outbox keeps them."""
    return [Envelope(hint=hint, created_at=CREATED_AT, traceparent=TRACEPARENT) for hint in hints]


class Heard:
    """A handler that keeps what it is given."""

    def __init__(self) -> None:
        self.hints: list[Hint] = []
        self._changed = asyncio.Condition()

    async def handle(self, hint: Hint) -> None:
        """Keep it."""
        async with self._changed:
            self.hints.append(hint)
            self._changed.notify_all()

    async def count(self, count: int) -> list[Hint]:
        """What was heard, once it is so many."""
        async with asyncio.timeout(30), self._changed:
            await self._changed.wait_for(lambda: len(self.hints) >= count)
            return self.hints


async def test_a_hint_arrives_as_it_was_sent(kafka: Kafka) -> None:
    """I42, kafka 6: of each type, incarnations of 63 bits and keys of any text included."""
    heard = Heard()
    async with ground(kafka) as settings, running_bus(settings) as bus:
        subscription = bus.subscribe((ChildDone, ExecutionParked, NotifyResume), heard.handle, group="g")

        assert await bus.publish(sent(*HINTS), within_s=30) == (Outcome.ACKNOWLEDGED,) * 3

        assert set(await heard.count(3)) == set(HINTS)
        await subscription.stop()


async def test_a_record_is_a_cloud_event_in_binary_mode(kafka: Kafka) -> None:
    """Kafka 6: routing and tracing need no look into the body; the outbox's context goes along unchanged, once."""
    async with ground(kafka) as settings, running_bus(settings) as bus:
        await bus.publish(sent(CHILD_DONE), within_s=30)
        (record,) = await read_all(settings, ChildDone.TOPIC)

    assert record.key == b"shop/parent"
    assert [name for name, _ in record.headers].count("traceparent") == 1
    assert {name: value.decode() for name, value in record.headers} == {
        "ce_specversion": "1.0",
        "ce_id": "shop/parent~c1:11:9:dev.loom.child-done.v1:parent/käse/1",
        "ce_source": "/loom/event-store/loom",
        "ce_type": "dev.loom.child-done.v1",
        "ce_subject": "shop/parent~c1",
        "ce_time": "2023-11-14T22:13:20.000Z",
        "ce_dataschema": "urn:loom:child-done.v1",
        "content-type": "application/json",
        "traceparent": TRACEPARENT,
    }
    assert json.loads(record.value) == {
        "namespace": "shop",
        "parent": "parent",
        "parent_incarnation": str(BIG),
        "child_key": "käse/1",
        "child": "parent~c1",
        "child_incarnation": "11",
        "status": "completed",
        "sequence": 9,
    }


@pytest.mark.parametrize(("age_ms", "goes_on"), [(0, True), (10 * CONTINUE_MS, False)])
async def test_one_trace_goes_from_the_outbox_through_kafka_into_the_handler(
    kafka: Kafka, age_ms: int, goes_on: bool
) -> None:
    """Kafka 5.2, 7.1: the handler runs in the trace of what it is told, or in a new one that links to what is old."""
    seen: list[str | None] = []

    async def handle(hint: Hint) -> None:
        seen.append(tracing.current())

    told_at = Instant(SystemClock().now() - age_ms)
    with kept_spans() as spans:
        async with ground(kafka) as settings, running_bus(settings) as bus:
            subscription = bus.subscribe((ExecutionParked,), handle, group="g")
            envelope = Envelope(hint=parked("a"), created_at=told_at, traceparent=TRACEPARENT)
            await bus.publish([envelope], within_s=30)
            await until(lambda: asyncio.sleep(0, spans.named(f"process {ExecutionParked.TOPIC}")))
            await subscription.stop()
        span = spans.one(f"process {ExecutionParked.TOPIC}")
    told_trace = TRACEPARENT.split("-")[1]
    assert (trace_id(span) == told_trace) is goes_on
    assert [f"{link.context.trace_id:032x}" for link in span.links] == ([] if goes_on else [told_trace])
    assert [(current or "").split("-")[1] for current in seen] == [trace_id(span)]


async def test_a_hint_published_again_is_recognised_by_its_id(kafka: Kafka) -> None:
    """Kafka 2.4 point 2: the id is made of the body; another incarnation is another message."""
    async with ground(kafka) as settings, running_bus(settings) as bus:
        await bus.publish(sent(CHILD_DONE, CHILD_DONE), within_s=30)
        records = await read_all(settings, ChildDone.TOPIC)

    assert len(records) == 2
    assert len({dict(record.headers)["ce_id"] for record in records}) == 1


async def test_hints_of_one_key_stay_in_the_order_they_were_sent(kafka: Kafka) -> None:
    """Kafka 2.4: nobody relies on it, and one relay gives it."""
    heard = Heard()
    async with ground(kafka) as settings, running_bus(settings) as bus:
        subscription = bus.subscribe((ExecutionParked,), heard.handle, group="g")
        hints = [parked(name, park_seq) for park_seq in range(1, 51) for name in ("a", "b", "c")]

        await bus.publish(sent(*hints), within_s=30)

        told = await heard.count(150)
        await subscription.stop()
    for name in ("a", "b", "c"):
        seqs = [hint.park_seq for hint in told if isinstance(hint, ExecutionParked) and hint.execution == name]
        assert seqs == list(range(1, 51))


async def listening(bus: MessageBus, heard: Heard) -> None:
    """Until a reader from the end hears what is sent now; what was sent before it was there it never hears."""

    async def hears() -> bool:
        await bus.publish(sent(RUNNABLE), within_s=30)
        return RUNNABLE in heard.hints

    await until(hears)


async def test_a_reader_without_a_group_hears_everything_from_now_on_and_commits_nothing(kafka: Kafka) -> None:
    """Kafka 3.2: each replica of the event store hears every notify-resume, of all partitions."""
    one, two = Heard(), Heard()
    async with ground(kafka) as settings, running_bus(settings) as bus, running_bus(settings) as replica:
        await bus.publish(sent(*[CHILD_DONE] * 3), within_s=30)
        readers = [
            reader.subscribe((NotifyResume, ChildDone), heard.handle, group=None)
            for reader, heard in ((bus, one), (replica, two))
        ]
        await listening(bus, one)
        await listening(bus, two)

        news = [parked(f"e-{number}") for number in range(20)]
        told = [
            NotifyResume(
                namespace=hint.namespace,
                execution=hint.execution,
                incarnation=hint.incarnation,
                queue="q",
                workflow="w",
                reason="timer",
                sequence=hint.park_seq,
            )
            for hint in news
        ]
        await bus.publish(sent(*told), within_s=30)

        for heard in (one, two):
            await until(lambda heard=heard: asyncio.sleep(0, set(told) <= set(heard.hints)))
            assert CHILD_DONE not in heard.hints
        for reader in readers:
            await reader.stop()


async def test_members_of_one_group_share_and_groups_do_not(kafka: Kafka) -> None:
    """Kafka 3.5: supervisor and timers each see every park."""
    members, other = (Heard(), Heard()), Heard()
    async with ground(kafka) as settings, running_bus(settings) as bus:
        handlers = [("g", members[0]), ("g", members[1]), ("h", other)]
        subscriptions = [bus.subscribe((ExecutionParked,), heard.handle, group=group) for group, heard in handlers]
        await until(lambda: is_stable(settings, "g", 2))
        names = [f"e-{number}" for number in range(60)]

        await bus.publish(sent(*(parked(name) for name in names)), within_s=30)

        await other.count(60)
        await until(lambda: asyncio.sleep(0, sum(len(heard.hints) for heard in members) == 60))
        assert all(heard.hints for heard in members)
        for subscription in subscriptions:
            await subscription.stop()


async def is_stable(settings, group: str, members: int) -> bool:
    """Each has its share."""
    return await read_group(settings, group) == ("Stable", members)


@pytest.mark.parametrize("idempotent", [True, False])
async def test_idempotence_is_a_setting(kafka: Kafka, idempotent: bool) -> None:
    """Kafka 3.1: either kind of producer is acknowledged."""
    async with ground(kafka, idempotent=idempotent) as settings, running_bus(settings) as bus:
        assert await bus.publish(sent(RUNNABLE), within_s=30) == (Outcome.ACKNOWLEDGED,)
