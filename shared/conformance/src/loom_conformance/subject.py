"""What the kit runs against: a store, its clock, and what of it is reachable."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from loom.clock import ManualClock
from loom.kernel.hints import Envelope
from loom.stores.event_store import EventStore, TestHook
from loom.stores.timer_store import TimerStore


class NotReachable(Exception):
    """The case needs what this subject does not offer, as a URL has no test hook. Neither passed nor failed."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A backend under test.

    `clock` is the store's own where it can be moved; without one time really passes. `timers` must read the same clock.
    `reopen` closes what it can and opens the same data again, as after a restart. `told`: every hint of its executions
    so far, relayed or not. `traced`: a caller's trace context reaches the store.
    """

    name: str
    store: EventStore
    clock: ManualClock | None = None
    hook: TestHook | None = None
    timers: TimerStore | None = None
    reopen: Callable[[], Awaitable[EventStore]] | None = None
    traced: bool = False
    told: Callable[[], Awaitable[tuple[Envelope, ...]]] | None = None

    async def pass_time(self, ms: int) -> None:
        """Let `ms` milliseconds pass on the store's clock."""
        if self.clock is None:
            await asyncio.sleep(ms / 1000)
        else:
            self.clock.advance(ms)
