"""child-done and execution-parked: whichever commits second finds both facts in the store (I38, H41)."""

from __future__ import annotations

from loom.ids import ExecutionRef
from loom.kernel.hints import ChildDone, ExecutionParked, Hint
from loom_supervisor.resume import Parents

TRIGGERS: tuple[type[Hint], ...] = (ChildDone, ExecutionParked)

ABOUT_CHILDREN = frozenset({"child", "group"})


class Triggers:
    """Looks at the parent that a hint points to."""

    def __init__(self, parents: Parents) -> None:
        self._parents = parents

    async def handle(self, hint: Hint) -> None:
        """Acknowledged by returning, once the parent is resumed, needs nothing, or has its re-drive row."""
        parent = parent_of(hint)
        if parent is not None:
            await self._parents.look_at(parent)


def parent_of(hint: Hint) -> ExecutionRef | None:
    """Whose children the hint is about; None for a park that waits for none."""
    match hint:
        case ChildDone():
            return ExecutionRef(namespace=hint.namespace, execution_id=hint.parent, incarnation=hint.parent_incarnation)
        case ExecutionParked() if not ABOUT_CHILDREN.isdisjoint(hint.wait_kinds):
            return ExecutionRef(namespace=hint.namespace, execution_id=hint.execution, incarnation=hint.incarnation)
    return None
