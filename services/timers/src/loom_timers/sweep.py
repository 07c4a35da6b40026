"""Parks overdue by the store's clock are woken, whatever became of their rows (I32)."""

from __future__ import annotations

from loom.kernel.calls import Due
from loom.stores.event_store import EventStore
from loom.stores.timer_store import WAKE, ReadTimers, TimerKey, TimerStore
from loom.tracing import current
from loom_timers.firing import Again, Answered, Firing, fire_wake

GRACE_MS = 5_000


class OverdueParks:
    """The remedy of the sweep over overdue parks."""

    def __init__(self, store: EventStore, timers: TimerStore, firing: Firing) -> None:
        self._store = store
        self._timers = timers
        self._firing = firing

    async def wake(self, due: Due) -> bool:
        """Resume it, unless its row is there and backing off from contention (I37)."""
        assert due.park_seq is not None
        assert due.wait is not None
        key = TimerKey.of(due.execution, due.park_seq, due.wait, WAKE)
        if await self._is_backing_off(key):
            return False
        verdict = await fire_wake(self._store, key)
        if isinstance(verdict, Again):
            await self._firing.again(key, 1, current())
        return isinstance(verdict, Answered)

    async def _is_backing_off(self, key: TimerKey) -> bool:
        rows = await self._timers.read(ReadTimers(namespace=key.namespace, execution_id=key.execution_id))
        return any(row.key == key and row.attempt > 0 for row in rows.items)
