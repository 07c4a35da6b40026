"""A due re-drive: the resume is derived again from the store, whatever the row remembers."""

from __future__ import annotations

from loom.errors import ExecutionGone, NotFound, NotParked, ResumeContended
from loom.stores.event_store import EventStore
from loom.stores.timer_store import Outcome, Redrive, Redriven
from loom_supervisor.resume import locate_answer, read_park, resume


class ParentRedriver:
    """Answers timers: done, noop or contended. An outage of the store is raised, and counts as contended there."""

    def __init__(self, store: EventStore) -> None:
        self._store = store

    async def redrive(self, call: Redrive) -> Redriven:
        return Redriven(result=await self._outcome(call))

    async def _outcome(self, call: Redrive) -> Outcome:
        try:
            park = await read_park(self._store, call.execution)
            found = locate_answer(park)
            if park.unknown_tail:
                return "contended"
            if found is None or found.park_seq != call.park_seq:
                return "noop"
            await resume(self._store, found)
        except (NotParked, ExecutionGone, NotFound):
            return "noop"
        except ResumeContended:
            return "contended"
        return "done"
