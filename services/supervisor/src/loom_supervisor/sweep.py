"""What the supervisor's sweeps do about a finding; each a compare-and-set on what the listing saw."""

from __future__ import annotations

from loom.errors import IllegalTransition, NotYet, ResumeContended
from loom.kernel.calls import Cancel, Due, Terminate
from loom.kernel.parks import Answer
from loom.stores.event_store import EventStore
from loom_supervisor.resume import Found, Parents


class Remedies:
    """Parents to resume, cancels and deadlines that passed."""

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
        execution = due.execution
        try:
            await self._store.terminate(
                Terminate(
                    namespace=execution.namespace,
                    execution_id=execution.execution_id,
                    incarnation=execution.incarnation,
                    reason="the deadline of the cancel request passed",
                    cancel_seq=due.cancel_seq,
                )
            )
        except (IllegalTransition, NotYet):
            return False
        return True

    async def cancel(self, due: Due) -> bool:
        """The deadline of the execution passed: it becomes a cancel request."""
        try:
            await self._store.cancel(
                Cancel(
                    namespace=due.execution.namespace,
                    execution_id=due.execution.execution_id,
                    chain=due.chain,
                    reason="the deadline of the execution passed",
                    by="deadline",
                )
            )
        except (IllegalTransition, NotYet, ResumeContended):
            return False
        return True
