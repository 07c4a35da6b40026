"""Resume a parent whose wait is met: read the primary, judge, and name the wait and its keys (I17, I38)."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from loom import tracing
from loom.errors import ResumeContended
from loom.ids import ExecutionRef, Sequence
from loom.kernel.backoff import full_jitter_ms
from loom.kernel.calls import OpenPark, ReadPark, ReadStore, Resume
from loom.kernel.features import REDRIVES
from loom.kernel.parks import Answer, answer_from_children
from loom.stores.event_store import EventStore
from loom.stores.timer_store import REDRIVE, Schedule, TimerKey, TimerRows
from loom.tracing import current

UNKNOWN_TAIL = "~unknown-tail"  # stands for the wait, where a newer server's answer hides which ones there are


@dataclass(frozen=True, slots=True)
class Found:
    """A park, and the answer that its children's ends allow."""

    execution: ExecutionRef
    park_seq: Sequence
    answer: Answer


async def read_park(store: EventStore, execution: ExecutionRef) -> OpenPark:
    """What the primary says of exactly this incarnation. Raises ExecutionGone, NotFound."""
    return await store.read_park(
        ReadPark(namespace=execution.namespace, execution_id=execution.execution_id, incarnation=execution.incarnation)
    )


def locate_answer(park: OpenPark) -> Found | None:
    """The first wait of the open park that its children satisfy; None: not parked, or not yet."""
    if park.park_seq is None:
        return None
    edges = {edge.child_key: edge for edge in park.edges}
    for wait in park.waits:
        answer = answer_from_children(wait, edges)
        if answer is not None:
            return Found(park.execution, park.park_seq, answer)
    return None


async def resume(store: EventStore, found: Found) -> None:
    """One resume of exactly this park. Raises NotParked, ResumeContended, ExecutionGone."""
    execution = found.execution
    call = Resume(
        namespace=execution.namespace,
        execution_id=execution.execution_id,
        incarnation=execution.incarnation,
        park_seq=found.park_seq,
        wait=found.answer.wait,
        keys=found.answer.keys,
    )
    with tracing.resume(execution, found.park_seq):
        await store.resume(call)


class Parents:
    """Resumes parents; what is contended becomes a re-drive row of timers."""

    def __init__(self, store: EventStore, timers: TimerRows, rng: Random) -> None:
        self._store = store
        self._timers = timers
        self._rng = rng

    async def look_at(self, parent: ExecutionRef) -> bool:
        """Resume the parent if a wait of its park is met; true if this did it.

        Raises NotParked, ExecutionGone, NotFound: nothing to do any more. Raises a Contended when the store, or timers
        for the re-drive row, cannot be reached: nothing is settled then, and no hint may be acknowledged (I44).
        """
        park = await read_park(self._store, parent)
        if park.unknown_tail:
            await self._redrive_later(park.execution, park.last_seq, UNKNOWN_TAIL)
            return False
        found = locate_answer(park)
        return found is not None and await self.resume(found)

    async def resume(self, found: Found) -> bool:
        """Resume, or leave a re-drive row; raises as `look_at` does."""
        try:
            await resume(self._store, found)
        except ResumeContended:
            await self._redrive_later(found.execution, found.park_seq, found.answer.wait)
            return False
        return True

    async def _redrive_later(self, execution: ExecutionRef, park_seq: Sequence, wait_id: str) -> None:
        """Attempt 0, or nothing if the row is there: its attempts are timers' to count (I34).

        Raises ResumeContended while the fleet has not been told that every timers node knows such rows (I56).
        """
        if REDRIVES not in (await self._store.read_store(ReadStore())).features:
            raise ResumeContended(
                f"{execution.execution_id} is tried again here: the feature {REDRIVES} is off", attempts=1
            )
        key = TimerKey.of(execution, park_seq, wait_id, REDRIVE)
        schedule = Schedule(key=key, delay_ms=full_jitter_ms(0, self._rng), traceparent=current())
        await self._timers.schedule(schedule)
