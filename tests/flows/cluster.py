"""All services in one process, as `loom dev` wires them, with time that moves only when a test says so."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

import httpx

from fixtures.buses import FaultyBus
from fixtures.wrapped import Wrapped
from loom.client.event_store import HttpEventStore
from loom.client.timers import HttpRedriver, HttpTimerStore
from loom.clock import ManualClock
from loom.ids import Chain, Credential, ExecutionId, ExecutionRef, Instant, Namespace, Nonce
from loom.kernel import calls as c
from loom.kernel.events import Event, NewEvent
from loom.kernel.heads import Head
from loom.kernel.parks import Child, ChildWait, Group, GroupWait, Message, MessageWait, Timer, TimerWait, Wait
from loom.kernel.raw_json import RawJson
from loom.stores.timer_store import ReadTimers, Redriver, TimerStore
from loom.stores.timer_store import Timer as Row
from loom_event_store.app import build_service as build_event_store
from loom_event_store.relay import STAND_BY_MS, Relay
from loom_event_store.settings import EventStoreSettings
from loom_servicekit.app import Service, create_app
from loom_servicekit.bus.consumer import Consumer
from loom_servicekit.loops import Loop
from loom_servicekit.sweeps import Sweep
from loom_supervisor.app import build_redriver
from loom_supervisor.app import build_service as build_supervisor
from loom_supervisor.settings import SupervisorSettings
from loom_timers.app import build_service as build_timers
from loom_timers.settings import TimersSettings

NAMESPACE = Namespace("shop")
LEASE_MS = 60_000


@dataclass
class Owner:
    """Who works on an execution: what a worker remembers between its calls."""

    cluster: Cluster
    credential: Credential
    chain: Chain
    calls: int = 0

    @property
    def ref(self) -> ExecutionRef:
        return self.credential.execution

    async def append(self, *events: NewEvent, release: tuple[str, ...] = ()) -> c.Appended:
        return await self.cluster.store.append(c.Append(**self._own(), events=events, release=release))

    async def complete(self, result: Any = None) -> None:
        await self.append(NewEvent(kind="EXECUTION_COMPLETED", payload=RawJson.of(result)))

    async def fail(self) -> None:
        failure = {"type": "Broken", "message": "", "details": None, "traceback": ""}
        await self.append(NewEvent(kind="EXECUTION_FAILED", payload=RawJson.of(failure)))

    async def start_child(self, key: str, **more: Any) -> ExecutionRef:
        call = c.StartChild(**self._own(), child_key=key, workflow="child", **more)
        return (await self.cluster.store.start_child(call)).child

    async def continue_as_new(self) -> ExecutionRef:
        return (await self.cluster.store.continue_as_new(c.ContinueAsNew(**self._own()))).execution

    async def park(self, *waits: Wait, heard: Any = None) -> c.Parked:
        return await self.cluster.store.park(c.Park(**self._own(), waits=waits, heard=heard))

    def _own(self) -> dict[str, Any]:
        self.calls += 1
        return {
            "namespace": NAMESPACE,
            "execution_id": self.ref.execution_id,
            "credential": self.credential,
            "batch_id": f"{self.credential.token}-{self.calls}",
        }


class Cluster:
    """One event store, its relay, supervisor and timers. Nothing runs by itself but the consumers.

    What `store`, `timers` and `timer_rows` (those that the supervisor writes) do can be replaced, call by call; `bus`
    can be told to lose and repeat, unless another one is given. With `rest` the services reach each other as they do
    when each runs alone.
    """

    def __init__(
        self, body: Any, timers: TimerStore, clock: ManualClock, *, rest: bool = False, bus: Any = None
    ) -> None:
        self.body = body
        self.timers = self.timer_rows = Wrapped(timers)
        self.store = Wrapped(body)
        self.clock = clock
        self.rng = Random(7)
        self.bus = bus or FaultyBus(rng=self.rng, clock=clock)
        self.relay = Relay(self.store, body, self.bus, "relay", monotonic=lambda: clock.now() / 1000, clock=clock)
        self.redriver: Redriver = build_redriver(self.store)
        if rest:
            self._speak_rest()
        self.services = (self._build_supervisor(), self._build_timers())
        self._nonces = 0

    def _speak_rest(self) -> None:
        event_store = build_event_store(EventStoreSettings(), store=self.body, bus=self.bus)
        self.store = Wrapped(HttpEventStore("http://event-store", transport=_transport(event_store), attempts=1))
        timers, supervisor = self._build_timers(), self._build_supervisor()
        self.timer_rows = Wrapped(HttpTimerStore("http://timers", transport=_transport(timers), attempts=1))
        self.redriver = HttpRedriver("http://supervisor", transport=_transport(supervisor), attempts=1)

    def _build_supervisor(self) -> Service:
        return build_supervisor(
            SupervisorSettings(), store=self.store, timers=self.timer_rows, bus=self.bus, owner="one", rng=self.rng
        )

    def _build_timers(self) -> Service:
        return build_timers(
            TimersSettings(),
            store=self.store,
            timers=self.timers,
            bus=self.bus,
            redrivers=[self.redriver],
            owner="one",
            rng=self.rng,
        )

    async def start(self) -> None:
        for consumer in self._backgrounds(Consumer):
            await consumer.start()

    async def stop(self) -> None:
        for consumer in self._backgrounds(Consumer):
            await consumer.stop()

    def _backgrounds(self, kind: type[Any]) -> list[Any]:
        return [
            background for service in self.services for background in service.background if type(background) is kind
        ]

    async def deliver(self) -> None:
        """Relay everything and let the consumers finish, until nobody writes hints any more, or the relay stands by."""
        while await self.body.read_outbox(0, 1):
            if await self.relay.step() == STAND_BY_MS:
                return
            await self.bus.settled()

    async def fire(self) -> None:
        """One round of timers."""
        for loop in self._backgrounds(Loop):
            await loop.step()

    async def sweep(self) -> int:
        """One round of every sweep; how much they found that nothing else had done."""
        before = self.found
        for sweep in self._backgrounds(Sweep):
            await sweep.step()
        return self.found - before

    @property
    def found(self) -> int:
        return sum(sweep.found for sweep in self._backgrounds(Sweep))

    async def start_execution(self, execution_id: str, **more: Any) -> Owner:
        call = c.Start(
            namespace=NAMESPACE,
            execution_id=ExecutionId(execution_id),
            batch_id=f"start-{self._next()}",
            workflow="parent",
            queue="default",
            **more,
        )
        await self.store.start(call)
        return await self.claim(execution_id)

    async def claim(self, execution_id: str) -> Owner:
        """Claim what is runnable under this id."""
        head = await self.head(execution_id)
        claimed = await self.store.claim(
            c.Claim(
                namespace=NAMESPACE,
                execution_id=head.execution_id,
                incarnation=head.incarnation,
                token=head.token,
                nonce=Nonce(f"{self._next():032}"),
                owner="worker",
                ttl_ms=LEASE_MS,
            )
        )
        return Owner(self, claimed.credential, head.chain)

    async def finish_child(self, child: ExecutionRef, result: Any = None) -> None:
        await (await self.claim(child.execution_id)).complete(result)

    async def head(self, execution_id: str) -> Head:
        return await self.store.read_head(c.ReadHead(namespace=NAMESPACE, execution_id=ExecutionId(execution_id)))

    async def status(self, execution_id: str) -> str:
        return (await self.head(execution_id)).shown

    async def events(self, execution_id: str) -> tuple[Event, ...]:
        call = c.ReadEvents(namespace=NAMESPACE, execution_id=ExecutionId(execution_id))
        return (await self.store.read_events(call)).events

    async def kinds(self, execution_id: str) -> list[str]:
        return [event.kind.removeprefix("EXECUTION_") for event in await self.events(execution_id)]

    async def rows(self, execution_id: str) -> tuple[Row, ...]:
        call = ReadTimers(namespace=NAMESPACE, execution_id=ExecutionId(execution_id))
        return (await self.timers.read(call)).items

    def _next(self) -> int:
        self._nonces += 1
        return self._nonces


def _transport(service: Service) -> httpx.ASGITransport:
    return httpx.ASGITransport(create_app([service]))


def on_child(key: str) -> Wait:
    """A wait for the child under this key."""
    return ChildWait(id=f"wait-{key}", child=Child(key=key))


def on_group(*keys: str, policy: Any = "all") -> Wait:
    """A wait for several children; who failed counts as ended."""
    return GroupWait(id="group", group=Group(members=keys, policy=policy, on_error="collect"))


def on_timer(delay_ms: int = 1_000, *, id: str = "sleep") -> Wait:
    """A wait that the store counts from the park."""
    return TimerWait(id=id, timer=Timer(delay_ms=delay_ms))


def until(wake_at: int, *, id: str = "sleep") -> Wait:
    """A wait for an instant."""
    return TimerWait(id=id, timer=Timer(wake_at=Instant(wake_at)))


def on_message(name: str) -> Wait:
    """A wait for a message of this name."""
    return MessageWait(id=f"mail-{name}", message=Message(name=name))
