"""What hints that came over Kafka do to executions: repeated, late, old, many at once, or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from bus.ground import CREATED_AT, ground, read_all, read_lag, rewind, running_bus
from bus.waiting import PATIENCE_S, until
from fixtures.kafka import Kafka
from fixtures.wrapped import failing
from flows.cluster import Cluster, Owner, on_child, on_timer
from loom.clock import ManualClock
from loom.errors import ResumeContended, StoreUnavailable
from loom.ids import Sequence
from loom.kernel import calls as c
from loom.kernel.hints import ChildDone, Envelope, ExecutionParked, Hint
from loom.kernel.raw_json import RawJson
from loom.stores.memory import MemoryEventStore
from loom.stores.timer_store import REDRIVE, WAKE, MemoryTimerStore
from loom_event_store.relay import DUTY_TTL_MS, Relay
from loom_servicekit.bus.consumer import Consumer
from loom_servicekit.bus.port import MessageBus, Outcome
from loom_servicekit.bus.settings import KafkaSettings
from loom_servicekit.topics import DEAD_LETTERS
from loom_timers.firing import EXHAUSTED

READ = {"loom-supervisor": (ChildDone.TOPIC, ExecutionParked.TOPIC), "loom-timers": (ExecutionParked.TOPIC,)}


class World(Cluster):
    """All services over memory, told by Kafka what there is to do. Time moves only when a test says so."""

    def __init__(self, settings: KafkaSettings, bus: MessageBus) -> None:
        clock = ManualClock()
        super().__init__(MemoryEventStore(clock), MemoryTimerStore(clock), clock, bus=bus)
        self.settings = settings

    async def tell(self, *hints: Hint) -> None:
        """Publish, behind the outbox's back."""
        sent = [Envelope(hint=hint, created_at=CREATED_AT) for hint in hints]
        assert set(await self.bus.publish(sent, within_s=30)) == {Outcome.ACKNOWLEDGED}

    async def deliver(self) -> None:
        """Relay everything, and let every group put it behind it, until nobody writes hints any more."""
        async with asyncio.timeout(PATIENCE_S):
            while await self.body.read_outbox(0, 1):
                await self.relay.step()
                await self.settled()

    async def settled(self) -> None:
        """Every group has every hint behind it."""
        for group, topics in READ.items():
            await until(lambda group=group, topics=topics: self._is_behind(group, topics))

    async def _is_behind(self, group: str, topics: tuple[str, ...]) -> bool:
        return await read_lag(self.settings, group, *topics) == 0

    async def published(self, kind: type[Hint]) -> int:
        """How many hints of a kind are in its topic."""
        return len(await read_all(self.settings, kind.TOPIC))


@asynccontextmanager
async def a_world(kafka: Kafka, **settings: Any) -> AsyncIterator[World]:
    """Services that listen."""
    async with ground(kafka, **settings) as to, running_bus(to) as bus:
        world = World(to, bus)
        await world.start()
        try:
            yield world
        finally:
            await world.stop()


@pytest.fixture
async def world(kafka: Kafka) -> AsyncIterator[World]:
    """Services that listen on topics of their own."""
    async with a_world(kafka) as world:
        yield world


async def parent_of_one(world: World, id: str = "parent") -> tuple[Owner, Any]:
    """Parked on its child, which works."""
    parent = await world.start_execution(id)
    child = await parent.start_child("a")
    await parent.park(on_child("a"))
    return parent, child


async def is_runnable(world: World, id: str = "parent") -> bool:
    """Somebody resumed it."""
    return await world.status(id) == "runnable"


def count_calls(store: Any, name: str) -> Callable[[], int]:
    """How often a call of the store was made from now on."""
    act, calls = getattr(store, name), []

    async def counted(call: Any) -> Any:
        calls.append(call)
        return await act(call)

    store.replaced[name] = counted
    return lambda: len(calls)


async def test_a_child_that_ends_after_its_parent_parked_resumes_it(world: World) -> None:
    """I38: two facts, two hints; here the child's end is the second."""
    _, child = await parent_of_one(world)
    await world.deliver()
    assert await world.status("parent") == "parked"

    await world.finish_child(child)
    await world.deliver()

    assert await world.status("parent") == "runnable"


async def test_a_child_that_ended_before_the_park_commits_is_found_by_the_park_s_hint(world: World) -> None:
    """H41, kafka 4.3: the child's hint finds a parent that is not parked; the look after the park is the one."""
    parent = await world.start_execution("parent")
    child = await parent.start_child("a")
    await world.finish_child(child)
    looks = count_calls(world.store, "read_park")
    await world.deliver()
    assert looks() >= 1, "the child's end was looked at, too early"

    await parent.park(on_child("a"))
    await world.deliver()

    assert await world.status("parent") == "runnable"


async def test_without_the_park_s_hint_nobody_would_wake_it(world: World) -> None:
    """Negative control for the rule above: the outbox loses the row that the park wrote."""
    parent = await world.start_execution("parent")
    await world.finish_child(await parent.start_child("a"))
    await world.deliver()

    await parent.park(on_child("a"))
    rows = await world.body.read_outbox(0, 10)
    await world.body.delete_outbox(tuple(id for id, envelope in rows if isinstance(envelope.hint, ExecutionParked)))
    await world.deliver()

    assert await world.status("parent") == "parked"


async def test_hints_delivered_again_and_again_have_one_effect(world: World) -> None:
    """I42, I9, I34: a row published three times, a group that begins anew: one answer, one re-drive row, one alert."""
    world.store.replaced["resume"] = failing(ResumeContended("locked", attempts=1), 30, world.store.resume)
    alerts = EXHAUSTED.total
    _, child = await parent_of_one(world)
    await world.finish_child(child)
    rows = await world.body.read_outbox(0, 10)
    for _ in range(3):
        await world.tell(*(envelope.hint for _, envelope in rows))
    await world.deliver()
    (row,) = await world.rows("parent")
    assert (row.key.kind, row.attempt) == (REDRIVE, 0)

    await keep_firing(world)
    await world.stop()
    for group, topics in READ.items():
        for topic in topics:
            await rewind(world.settings, group, topic)
    await world.start()
    await world.settled()

    assert (await world.kinds("parent")).count("RESUMED") == 1
    assert EXHAUSTED.total == alerts + 1
    assert await world.rows("parent") == ()
    assert await read_all(world.settings, DEAD_LETTERS.name) == []


async def keep_firing(world: World) -> None:
    """Until the parent is resumed by timers."""
    for _ in range(60):
        world.clock.advance(30_000)
        await world.fire()


async def test_hints_of_an_earlier_incarnation_change_nothing(world: World) -> None:
    """I48: parent and child were deleted and live again under their ids; the old hints come late."""
    parent, child = await parent_of_one(world)
    await world.deliver()
    await world.finish_child(child)
    await world.deliver()
    await (await world.claim("parent")).complete()
    await world.deliver()
    old = [envelope for topic in READ["loom-supervisor"] for envelope in await read_all(world.settings, topic)]
    assert len(old) == 2

    again = await recreate(world, parent, child)
    before = await world.head("parent")
    await world.tell(
        ChildDone(
            namespace=parent.ref.namespace,
            parent=parent.ref.execution_id,
            parent_incarnation=parent.ref.incarnation,
            child_key="a",
            child=child.execution_id,
            child_incarnation=child.incarnation,
            status="completed",
            sequence=Sequence(3),
        ),
        ExecutionParked(
            namespace=parent.ref.namespace,
            execution=parent.ref.execution_id,
            incarnation=parent.ref.incarnation,
            park_seq=Sequence(3),
            wait_kinds=("child", "timer"),
        ),
    )
    await world.settled()

    assert again.ref.incarnation != parent.ref.incarnation
    assert await world.head("parent") == before
    assert {row.key.kind for row in await world.rows("parent")} <= {WAKE}
    assert await read_all(world.settings, DEAD_LETTERS.name) == []


async def recreate(world: World, parent: Owner, child: Any) -> Owner:
    """Delete both and start the parent again under its id, parked again."""
    for ref in (child, parent.ref):
        await world.store.delete(
            c.Delete(namespace=ref.namespace, execution_id=ref.execution_id, incarnation=ref.incarnation)
        )
    again = await world.start_execution("parent", recreate=True)
    await again.start_child("a")
    await again.park(on_child("a"), on_timer(1_000))
    await world.deliver()
    return again


async def test_a_thousand_hints_for_one_parent_are_a_handful_of_looks(world: World) -> None:
    """Kafka 3.3 point 2: of what is queued for one parent the last is handed on, and all of it is put behind."""
    _, child = await parent_of_one(world)
    await world.deliver()
    await world.finish_child(child)
    (done,) = [envelope.hint for _, envelope in await world.body.read_outbox(0, 9) if type(envelope.hint) is ChildDone]
    began, gate = hold_first(world.store, "read_park")
    looks = count_calls(world.store, "read_park")
    await world.tell(done)
    await began.wait()

    await world.tell(*[done] * 1_000)
    await until(lambda: has_read_all(world))
    gate.set()
    await world.settled()

    assert await world.status("parent") == "runnable"
    assert looks() <= 20


async def has_read_all(world: World) -> bool:
    """The broker has them; what the consumer has fetched by now is queued behind the first."""
    return await world.published(ChildDone) == 1_001


def hold_first(store: Any, name: str) -> tuple[asyncio.Event, asyncio.Event]:
    """The first call waits for the second event, when the first is set."""
    act, began, gate = getattr(store, name), asyncio.Event(), asyncio.Event()

    async def held(call: Any) -> Any:
        if not began.is_set():
            began.set()
            await gate.wait()
        return await act(call)

    store.replaced[name] = held
    return began, gate


async def test_while_the_store_is_away_nothing_is_put_behind_and_nothing_becomes_a_row(world: World) -> None:
    """I44, kafka 3.3 point 7: no re-drive row, no dead letter, no acknowledgement; all is done after its return."""
    children = []
    for number in range(200):
        _, child = await parent_of_one(world, f"parent-{number}")
        children.append(child)
    await world.deliver()
    for child in children:
        await world.finish_child(child)
    read_park = world.store.read_park
    looks = count_calls(world.store, "read_park")
    counted = world.store.replaced["read_park"]

    async def away(call: Any) -> Any:
        if not back.is_set():
            await counted(call)
            raise StoreUnavailable("away")
        return await read_park(call)

    back = asyncio.Event()
    world.store.replaced["read_park"] = away
    done = [envelope.hint for _, envelope in await world.body.read_outbox(0, 500) if type(envelope.hint) is ChildDone]
    await world.tell(*done * 4)
    await world.relay.step()
    await until(lambda: asyncio.sleep(0, looks() >= 40))

    assert any("away" in str(consumer.why_unready()) for consumer in consumers(world))
    assert await read_lag(world.settings, "loom-supervisor", ChildDone.TOPIC) == 1_000
    back.set()
    await world.settled()

    assert {await world.status(f"parent-{number}") for number in range(200)} == {"runnable"}
    assert [row for number in range(200) for row in await world.rows(f"parent-{number}")] == []
    assert await read_all(world.settings, DEAD_LETTERS.name) == []
    assert [consumer.why_unready() for consumer in consumers(world)] == [None, None]


def consumers(world: World) -> list[Any]:
    """Of supervisor and timers."""
    return world._backgrounds(Consumer)


async def test_a_relay_killed_between_acknowledgement_and_delete_repeats_and_has_one_effect(world: World) -> None:
    """I42, I43, kafka 2.5: the next relay publishes the row again, under the same id."""
    _, child = await parent_of_one(world)
    await world.deliver()
    await world.finish_child(child)
    world.store.replaced["delete_outbox"] = failing(ConnectionError("killed"), 1, world.store.delete_outbox)
    world.relay = relay_of(world, "dying")
    with pytest.raises(ConnectionError):
        await world.relay.step()
    await until(lambda: is_runnable(world))
    world.relay = relay_of(world, "next")
    await world.deliver()

    records = await read_all(world.settings, ChildDone.TOPIC)
    assert len(records) == 2
    assert len({dict(record.headers)["ce_id"] for record in records}) == 1
    assert (await world.kinds("parent")).count("RESUMED") == 1


def relay_of(world: World, owner: str) -> Relay:
    """Of another process, after the duty's term."""
    world.clock.advance(2 * DUTY_TTL_MS)
    return Relay(world.store, world.store, world.bus, owner, monotonic=lambda: world.clock.now() / 1000)


async def test_a_hint_names_nothing_but_pointers(world: World) -> None:
    """Kafka 6: no payload of an application lies in Kafka for a week."""
    parent = await world.start_execution("parent", input=RawJson.of("secret"))
    child = await parent.start_child("a")
    await (await world.claim(child.execution_id)).complete("secret")
    await parent.park(on_child("a"))
    await world.deliver()

    for topic in READ["loom-supervisor"]:
        for record in await read_all(world.settings, topic):
            assert b"secret" not in record.value
            assert len(record.value) < 8_192
