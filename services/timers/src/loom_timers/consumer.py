"""execution-parked -> wake rows. The hint says where to look; what is written is what the store says (I42)."""

from __future__ import annotations

from loom.ids import Sequence
from loom.kernel.calls import OpenPark, ReadPark
from loom.kernel.hints import ExecutionParked, Hint
from loom.kernel.parks import TimerWait
from loom.stores.event_store import EventStore
from loom.stores.timer_store import WAKE, RetirePassed, Schedule, TimerKey, TimerStore
from loom.tracing import current


class ParkRows:
    """The rows of an execution follow its open park."""

    def __init__(self, store: EventStore, timers: TimerStore) -> None:
        self._store = store
        self._timers = timers

    async def handle(self, hint: Hint) -> None:
        """Write a wake row per timer wait of the open park, and retire what earlier parks and incarnations left."""
        assert isinstance(hint, ExecutionParked)
        park = await self._store.read_park(
            ReadPark(namespace=hint.namespace, execution_id=hint.execution, incarnation=hint.incarnation)
        )
        await self._timers.retire_passed(RetirePassed(execution=park.execution, park_seq=_first_open(park)))
        for schedule in wakes_of(park, current()):
            await self._timers.schedule(schedule)


def wakes_of(park: OpenPark, traceparent: str | None) -> list[Schedule]:
    """A row per timer wait, each in the trace of the park; none where no open park is known."""
    if park.park_seq is None:
        return []
    return [
        Schedule(
            key=TimerKey.of(park.execution, park.park_seq, wait.id, WAKE),
            wake_at=wait.timer.wake_at,
            traceparent=traceparent,
        )
        for wait in park.waits
        if isinstance(wait, TimerWait)
    ]


def _first_open(park: OpenPark) -> Sequence:
    """The smallest park that may still be open. On an unknown tail that is not known, so nothing has passed."""
    if park.park_seq is not None:
        return park.park_seq
    return Sequence(0 if park.unknown_tail else park.last_seq + 1)
