from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from starlette.types import Message

from fixtures.buses import FaultyBus
from loom.ids import ExecutionId, Incarnation, Namespace, Nonce, Sequence
from loom.kernel import calls as c
from loom.kernel.events import NewEvent
from loom.kernel.hints import NotifyResume
from loom.stores.memory import MemoryEventStore
from loom_event_store.longpolls import LongPolls
from loom_servicekit.bus.port import Missed

SHOP, ORDER, QUEUE = Namespace("shop"), ExecutionId("ord-1"), "q"
NEVER_S = 3600.0
LONG_MS = 60_000


class WatchedStore(MemoryEventStore):
    """Tells how often a poll has looked."""

    def __init__(self) -> None:
        super().__init__()
        self.looks = 0
        self.looked = asyncio.Condition()

    async def claim_runnable(self, call: c.ClaimRunnable) -> c.Claims:
        """Look, and tell."""
        found = await super().claim_runnable(call)
        await self._tell()
        return found

    async def read_events(self, call: c.ReadEvents) -> c.Log:
        """Look, and tell."""
        found = await super().read_events(call)
        await self._tell()
        return found

    async def looked_times(self, times: int) -> None:
        """Wait until polls have looked so often."""
        async with self.looked:
            await self.looked.wait_for(lambda: self.looks >= times)

    async def _tell(self) -> None:
        async with self.looked:
            self.looks += 1
            self.looked.notify_all()


class Caller:
    """The other end of a request."""

    def __init__(self) -> None:
        self.gone = asyncio.Event()

    def hang_up(self) -> None:
        """Close the connection."""
        self.gone.set()

    async def receive(self) -> Message:
        """What the server hears of this end."""
        await self.gone.wait()
        return {"type": "http.disconnect"}


@asynccontextmanager
async def held(
    look_again_s: float = NEVER_S, bus: FaultyBus | None = None
) -> AsyncIterator[tuple[LongPolls, WatchedStore, FaultyBus]]:
    """Polls over a store in memory."""
    store, bus = WatchedStore(), bus or FaultyBus()
    polls = LongPolls(store, bus, look_again_s=look_again_s)
    await polls.start()
    yield polls, store, bus
    await polls.stop()


def claims(wait_ms: int = LONG_MS, queue: str = QUEUE) -> c.ClaimRunnable:
    """A worker's poll."""
    return c.ClaimRunnable(
        namespace=SHOP,
        queue=queue,
        workflows=("w@0",),
        max=1,
        nonce=Nonce("n" * 22),
        owner="worker",
        wait_ms=wait_ms,
    )


async def start(store: MemoryEventStore, queue: str | None = QUEUE) -> c.Started:
    """An execution on the queue."""
    return await store.start(c.Start(namespace=SHOP, execution_id=ORDER, batch_id="s", workflow="w", queue=queue))


def runnable(queue: str | None = QUEUE) -> NotifyResume:
    """The hint that something on the queue is runnable."""
    return NotifyResume(
        namespace=SHOP,
        execution=ORDER,
        incarnation=Incarnation(1),
        queue=queue,
        workflow="w",
        reason="started",
        sequence=Sequence(1),
    )


async def test_a_hint_ends_a_held_poll() -> None:
    """Design 4: event stores read notify-resume from its end and wake the polls that they hold."""
    async with held() as (polls, store, bus), asyncio.TaskGroup() as group:
        poll = group.create_task(polls.claim_runnable(claims(), Caller().receive))
        await store.looked_times(1)
        started = await start(store)

        await bus.tell(runnable())

        assert [claimed.head.incarnation for claimed in (await poll).items] == [started.execution.incarnation]


async def test_a_hint_of_another_queue_wakes_nobody() -> None:
    """A poll is held per namespace and queue; a hint without a queue is nobody's."""
    async with held() as (polls, store, bus), asyncio.TaskGroup() as group:
        poll = group.create_task(polls.claim_runnable(claims(), Caller().receive))
        other = group.create_task(polls.claim_runnable(claims(queue="other"), Caller().receive))
        await store.looked_times(2)

        await bus.tell(runnable(queue=None), runnable(queue="other"))
        await store.looked_times(3)

        assert (store.looks, poll.done(), other.done()) == (3, False, False)
        await polls.stop()


async def test_a_lost_hint_costs_only_time() -> None:
    """Design 4: `claims` is level-triggered; a held poll looks again by itself."""
    async with held(look_again_s=0.01) as (polls, store, _), asyncio.TaskGroup() as group:
        poll = group.create_task(polls.claim_runnable(claims(), Caller().receive))
        await store.looked_times(1)

        await start(store)

        assert len((await poll).items) == 1


async def test_after_a_gap_every_held_poll_looks_once() -> None:
    """Kafka 3.2: after a start, an error or a gap of the reader; of whatever queue or log."""

    class Gapped(FaultyBus):
        def subscribe(self, *topics: Any, missed: Missed, **named: Any) -> Any:
            self.missed = missed
            return super().subscribe(*topics, missed=missed, **named)

    async with held(bus=Gapped()) as (polls, store, bus), asyncio.TaskGroup() as group:
        claiming = group.create_task(polls.claim_runnable(claims(), Caller().receive))
        group.create_task(polls.claim_runnable(claims(queue="other"), Caller().receive))
        await store.looked_times(2)
        await start(store)

        assert isinstance(bus, Gapped)
        bus.missed()

        await store.looked_times(4)
        assert len((await claiming).items) == 1
        await polls.stop()


async def test_what_becomes_runnable_while_a_poll_looks_is_not_missed() -> None:
    """The bell hangs before the first look, so a hint between look and wait is heard."""
    async with held() as (polls, store, _), asyncio.TaskGroup() as group:
        look = store.claim_runnable

        async def look_then_ring(call: c.ClaimRunnable) -> c.Claims:
            found = await look(call)
            if not found.items:
                await start(store)
                await polls._heard(runnable())
            return found

        store.claim_runnable = look_then_ring  # type: ignore[method-assign]
        poll = group.create_task(polls.claim_runnable(claims(), Caller().receive))

        assert len((await poll).items) == 1


@pytest.mark.parametrize("wait_ms", [0, 1])
async def test_a_poll_ends_when_its_time_is_over(wait_ms: int) -> None:
    """Nothing is without a bound; a poll that waits for nothing looks once."""
    async with held() as (polls, _, _):
        assert (await polls.claim_runnable(claims(wait_ms), Caller().receive)).items == ()


async def test_stopping_ends_every_held_poll_at_once() -> None:
    """Design 4: on SIGTERM a service ends its long-polls; later ones are not held any more."""
    async with held() as (polls, store, _), asyncio.TaskGroup() as group:
        poll = group.create_task(polls.claim_runnable(claims(), Caller().receive))
        await store.looked_times(1)

        await polls.stop()

        assert (await poll).items == ()
        assert (await polls.claim_runnable(claims(), Caller().receive)).items == ()


async def test_nothing_is_claimed_for_a_caller_that_hung_up() -> None:
    """A claim that nobody hears of would hold the execution for a lease, and count as fruitless."""
    async with held() as (polls, store, _), asyncio.TaskGroup() as group:
        caller = Caller()
        poll = group.create_task(polls.claim_runnable(claims(), caller.receive))
        await store.looked_times(1)
        await start(store)

        caller.hang_up()

        assert (await poll).items == ()
        assert (await store.read_head(c.ReadHead(namespace=SHOP, execution_id=ORDER))).owner is None


async def test_an_append_ends_a_poll_of_its_log() -> None:
    """Who follows a log hears of what this replica writes at once."""
    async with held() as (polls, store, _), asyncio.TaskGroup() as group:
        await start(store, queue=None)
        follow = c.ReadEvents(namespace=SHOP, execution_id=ORDER, from_seq=Sequence(2), wait_ms=LONG_MS)
        poll = group.create_task(polls.read_events(follow, Caller().receive))
        await store.looked_times(1)
        append = c.Append(
            namespace=SHOP, execution_id=ORDER, incarnation="*", batch_id="a", events=(NewEvent(kind="NOTED"),)
        )

        await store.append(append)
        polls.wrote(append)

        assert [event.kind for event in (await poll).events] == ["NOTED"]


async def test_a_batch_rings_for_every_log_in_it() -> None:
    """One call may write to several logs."""
    async with held() as (polls, store, _), asyncio.TaskGroup() as group:
        await start(store, queue=None)
        follow = c.ReadEvents(namespace=SHOP, execution_id=ORDER, from_seq=Sequence(2), wait_ms=LONG_MS)
        poll = group.create_task(polls.read_events(follow, Caller().receive))
        await store.looked_times(1)
        item = c.AppendItem(execution_id=ORDER, incarnation="*", events=(NewEvent(kind="NOTED"),))
        batch = c.AppendBatch(namespace=SHOP, batch_id="b", items=(item,))

        await store.append_batch(batch)
        polls.wrote(batch)

        assert len((await poll).events) == 1


async def test_the_log_of_what_has_ended_is_not_waited_for() -> None:
    """Nothing comes after the terminal event but audit, so the reader is told at once."""
    async with held() as (polls, store, _):
        started = await start(store)
        await store.terminate(
            c.Terminate(namespace=SHOP, execution_id=ORDER, incarnation=started.execution.incarnation)
        )
        follow = c.ReadEvents(namespace=SHOP, execution_id=ORDER, from_seq=Sequence(3), wait_ms=LONG_MS)

        assert (await polls.read_events(follow, Caller().receive)).events == ()


async def test_no_poll_leaves_anything_behind() -> None:
    """A bell per poll, gone with it."""
    async with held() as (polls, _, _):
        await polls.claim_runnable(claims(wait_ms=1), Caller().receive)

        assert not polls._bells
