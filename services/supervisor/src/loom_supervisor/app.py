"""What the supervisor is made of, put together by passing arguments."""

from __future__ import annotations

from random import Random

from loom.stores.event_store import EventStore
from loom.stores.timer_store import Redriver, TimerRows
from loom_servicekit.app import Service
from loom_servicekit.bus.consumer import Consumer
from loom_servicekit.bus.port import MessageBus
from loom_servicekit.duties import Duty
from loom_servicekit.endpoints import schemas_of
from loom_servicekit.fleet import Heartbeats
from loom_servicekit.sweeps import Sweep
from loom_servicekit.topics import group_of
from loom_supervisor.consumer import TRIGGERS, Triggers
from loom_supervisor.redrive import ParentRedriver
from loom_supervisor.resume import Parents
from loom_supervisor.routes import PATHS, router
from loom_supervisor.settings import SupervisorSettings
from loom_supervisor.sweep import Remedies


def build_redriver(store: EventStore) -> Redriver:
    """What timers asks when both run in one process."""
    return ParentRedriver(store)


def build_service(
    settings: SupervisorSettings,
    *,
    store: EventStore,
    timers: TimerRows,
    bus: MessageBus,
    owner: str,
    rng: Random | None = None,
) -> Service:
    """`owner` names this process in duties and in the fleet. The caller opens and closes `store` and `timers`."""
    every_ms = settings.sweep_ms
    parents = Parents(store, timers, rng or Random())
    remedies = Remedies(store, parents)
    return Service(
        name="supervisor",
        routers=(router(build_redriver(store)),),
        background=(
            Heartbeats(store, "supervisor", owner, leans_on_store=True),
            Consumer(bus, TRIGGERS, Triggers(parents).handle, group=group_of("supervisor"), coalesce=True),
            Sweep(store, Duty(store, "supervisor.satisfied", owner), "satisfied", remedies.resume, every_ms=every_ms),
            Sweep(store, Duty(store, "supervisor.cancels", owner), "cancels", remedies.terminate, every_ms=every_ms),
            Sweep(store, Duty(store, "supervisor.deadlines", owner), "deadlines", remedies.cancel, every_ms=every_ms),
            Sweep(store, Duty(store, "supervisor.closes", owner), "closes", remedies.close, every_ms=every_ms),
        ),
        schemas=schemas_of(PATHS),
    )
