"""What the supervisor's sweeps do about a finding; each a compare-and-set on what the listing saw."""

from __future__ import annotations

from typing import Literal

from loom.errors import IllegalTransition, NotYet, ResumeContended
from loom.ids import Sequence
from loom.kernel.calls import Cancel, Due, Terminate
from loom.kernel.parks import Answer
from loom.stores.event_store import EventStore
from loom_supervisor.resume import Found, Parents

PARENT_ENDED = "its parent has ended"


class Remedies:
    """Parents to resume, cancels and deadlines that passed, children whose parent has ended."""

    def __init__(self, store: EventStore, parents: Parents) -> None:
        self._store = store
        self._parents = parents

    async def resume(self, due: Due) -> bool:
        """Parked and satisfied: no hint came, or none was heard."""
        assert due.park_seq is not None
        assert due.wait is not None
        found = Found(due.execution, due.park_seq, Answer(wait=due.wait, keys=due.keys))
        try:
            return await self._parents.resume(found)
        except ResumeContended:
            return False  # without a row for it, the next sweep finds it again

    async def terminate(self, due: Due) -> bool:
        """The deadline of a cancel request passed: ended, even under a renewed lease (I57)."""
        return await self._terminate(due, "the deadline of the cancel request passed", cancel_seq=due.cancel_seq)

    async def cancel(self, due: Due) -> bool:
        """The deadline of the execution passed: it becomes a cancel request."""
        return await self._cancel(due, "the deadline of the execution passed", by="deadline")

    async def close(self, due: Due) -> bool:
        """A parent has ended and this child of it has not: what the edge's policy says (I59)."""
        if due.close == "terminate":
            return await self._terminate(due, PARENT_ENDED, by="parent")
        return await self._cancel(due, PARENT_ENDED, by="parent")

    async def _terminate(
        self,
        due: Due,
        reason: str,
        *,
        cancel_seq: Sequence | None = None,
        by: Literal["terminate", "parent"] = "terminate",
    ) -> bool:
        """Of exactly the incarnation that the listing saw; one that continued meanwhile is found again."""
        call = Terminate(
            namespace=due.execution.namespace,
            execution_id=due.execution.execution_id,
            incarnation=due.execution.incarnation,
            reason=reason,
            cancel_seq=cancel_seq,
            by=by,
        )
        try:
            await self._store.terminate(call)
        except (IllegalTransition, NotYet):
            return False
        return True

    async def _cancel(self, due: Due, reason: str, *, by: Literal["deadline", "parent"]) -> bool:
        """Of the chain, whichever its newest link is by now."""
        call = Cancel(
            namespace=due.execution.namespace,
            execution_id=due.execution.execution_id,
            chain=due.chain,
            reason=reason,
            by=by,
        )
        try:
            await self._store.cancel(call)
        except (IllegalTransition, NotYet, ResumeContended):
            return False
        return True
