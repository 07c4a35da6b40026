"""What the timers service is made of, put together by passing arguments."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from loom.kernel.hints import ExecutionParked
from loom.stores.event_store import EventStore
from loom.stores.timer_store import Redriver, TimerStore
from loom_servicekit.app import Service
from loom_servicekit.bus.consumer import Consumer
from loom_servicekit.bus.port import MessageBus
from loom_servicekit.duties import Duty
from loom_servicekit.endpoints import schemas_of
from loom_servicekit.fleet import Heartbeats
from loom_servicekit.loops import Loop
from loom_servicekit.sweeps import Sweep
from loom_servicekit.topics import group_of
from loom_timers.consumer import ParkRows
from loom_timers.firing import Firing
from loom_timers.routes import PATHS, router
from loom_timers.settings import TimersSettings
from loom_timers.sweep import GRACE_MS, OverdueParks


def build_service(
    settings: TimersSettings,
    *,
    store: EventStore,
    timers: TimerStore,
    bus: MessageBus,
    redrivers: Sequence[Redriver],
    owner: str,
    rng: Random | None = None,
) -> Service:
    """`owner` names this process in duties and in the fleet. The caller opens and closes `store` and `timers`."""
    firing = Firing(store, timers, redrivers, rng or Random())
    overdue = OverdueParks(store, timers, firing)
    duty = Duty(store, "timers.overdue", owner)
    return Service(
        name="timers",
        routers=(router(timers),),
        background=(
            Heartbeats(store, "timers", owner, leans_on_store=True),
            Consumer(bus, (ExecutionParked,), ParkRows(store, timers).handle, group=group_of("timers"), coalesce=True),
            Loop("firing", firing.step, every_ms=settings.poll_ms),
            Sweep(store, duty, "overdue", overdue.wake, grace_ms=GRACE_MS, every_ms=settings.sweep_ms),
        ),
        schemas=schemas_of(PATHS),
    )
