"""The event store while its broker hangs, is gone, or tells nobody: the API answers, and the work is found."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

import httpx
import pytest

from bus.ground import ground, read_all, running_bus, settings_of
from bus.waiting import until
from fixtures.kafka import Kafka
from fixtures.ports import keepable_ports
from loom.client.event_store import HttpEventStore
from loom.errors import StoreUnavailable
from loom.ids import ExecutionId, Namespace, Nonce
from loom.kernel import calls as c
from loom.kernel.hints import NotifyResume
from loom.stores.event_store import EventStore
from loom.stores.memory import MemoryEventStore
from loom_event_store.app import build_service
from loom_event_store.longpolls import LongPolls
from loom_event_store.relay import Relay
from loom_event_store.settings import EventStoreSettings
from loom_servicekit.app import create_app
from loom_servicekit.bus.in_process import InProcessBus
from loom_servicekit.bus.port import MessageBus

NAMESPACE = Namespace("shop")
PUBLISH_S = 4.0
HELD_MS = 40_000


def starting(id: str) -> c.Start:
    """An execution that somebody may claim."""
    return c.Start(namespace=NAMESPACE, execution_id=ExecutionId(id), batch_id="start", workflow="w", queue="q")


def claiming(nonce: str, wait_ms: int) -> c.ClaimRunnable:
    """One of those."""
    return c.ClaimRunnable(
        namespace=NAMESPACE,
        queue="q",
        workflows=("w@0",),
        max=1,
        nonce=Nonce(nonce * 32),
        owner="worker",
        ttl_ms=60_000,
        wait_ms=wait_ms,
    )


@asynccontextmanager
async def serving(store: MemoryEventStore, bus: MessageBus) -> AsyncIterator[EventStore]:
    """The service over that store and bus, by REST, with its held polls; relays are the test's."""
    service = build_service(EventStoreSettings(), store=store, bus=bus)
    polls = tuple(background for background in service.background if isinstance(background, LongPolls))
    app = create_app([replace(service, background=polls)])
    async with app.router.lifespan_context(app):
        client = HttpEventStore("http://event-store", transport=httpx.ASGITransport(app), attempts=1)
        yield client
        await client.close()


async def test_while_the_broker_hangs_the_relay_gives_its_duty_up_and_the_api_answers(own_kafka: Kafka) -> None:
    """Kafka 2.5, 7.1: another replica may reach the broker; calls never wait for one; afterwards all is published."""
    await own_kafka.create_topics("", partitions=2)
    settings, body = settings_of(own_kafka, ""), MemoryEventStore()
    async with running_bus(settings) as bus, serving(body, InProcessBus()) as api:
        relay = Relay(body, body, bus, "one", publish_s=PUBLISH_S)
        await body.start(starting("before"))
        await relay.step()
        assert (await body.read_duty(c.ReadDuty(name="relay"))).owner == "one"

        own_kafka.node.freeze()
        await api.start(starting("during"))
        held = asyncio.create_task(relay.step())
        for number in range(20):
            await api.start(starting(f"during-{number}"))
        assert not held.done(), "all were answered while the relay waited"
        with pytest.raises(StoreUnavailable):
            await held
        assert (await body.read_duty(c.ReadDuty(name="relay"))).owner is None

        own_kafka.node.thaw()
        await asyncio.to_thread(own_kafka.node.await_ready)
        other = Relay(body, body, bus, "two", publish_s=30)
        await until(lambda: has_drained(other, body))
        told = {record.key for record in await read_all(settings, NotifyResume.TOPIC)}
    assert told == {f"shop/{id}".encode() for id in ["before", "during", *(f"during-{n}" for n in range(20))]}


async def has_drained(relay: Relay, store: MemoryEventStore) -> bool:
    """A step, and the outbox is empty."""
    await relay.step()
    return await store.read_outbox(0, 1) == ()


async def test_without_a_broker_held_polls_find_work_within_their_own_interval() -> None:
    """Kafka 3.2: notify-resume only hastens; without it a poll looks again by itself."""
    (port,) = keepable_ports(1)
    body = MemoryEventStore()
    async with (
        running_bus(settings_of(Kafka(f"127.0.0.1:{port}"), "")) as bus,
        serving(body, bus) as api,
    ):
        looks = count_looks(body)
        polling = asyncio.create_task(api.claim_runnable(claiming("n", wait_ms=HELD_MS)))
        await until(lambda: asyncio.sleep(0, looks() >= 1))

        await body.start(starting("e"))  # behind the service's back, as another replica would

        async with asyncio.timeout(HELD_MS / 2000):
            found = await polling
        assert [claim.credential.execution_id for claim in found.items] == ["e"]
        assert len(await body.read_outbox(0, 10)) == 1


async def test_a_poll_held_by_one_replica_is_woken_by_what_another_one_started(
    kafka: Kafka, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kafka 3.2: every replica reads notify-resume, without a group; here no poll looks again by itself."""
    monkeypatch.setattr(LongPolls.__init__, "__kwdefaults__", {"look_again_s": 2 * HELD_MS / 1000})
    body = MemoryEventStore()
    async with (
        ground(kafka) as settings,
        running_bus(settings) as one,
        running_bus(settings) as two,
        serving(body, one) as api,
        serving(body, two) as other,
    ):
        looks = count_looks(body)
        polling = asyncio.create_task(api.claim_runnable(claiming("n", wait_ms=HELD_MS)))
        await until(lambda: asyncio.sleep(0, looks() >= 1))

        await other.start(starting("e"))
        relay = Relay(body, body, two, "two")
        await relay.step()

        async with asyncio.timeout(HELD_MS / 2000):
            found = await polling
        assert [claim.credential.execution_id for claim in found.items] == ["e"]


def count_looks(body: MemoryEventStore) -> Callable[[], int]:
    """How often somebody tried to claim."""
    act, looks = body.claim_runnable, []

    async def counted(call: c.ClaimRunnable) -> c.Claims:
        looks.append(call)
        return await act(call)

    body.claim_runnable = counted
    return lambda: len(looks)
