"""What services tell each other over the bus: pointers with incarnations, never a fact to act on (I42)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from loom.ids import ExecutionId, Incarnation, Instant, Namespace, Sequence, answer


@answer
class ChildDone:
    """A child ended; key: the parent."""

    TOPIC: ClassVar[str] = "loom.child-done.v1"

    namespace: Namespace
    parent: ExecutionId
    parent_incarnation: Incarnation
    child_key: str
    child: ExecutionId
    child_incarnation: Incarnation
    status: str
    sequence: Sequence

    @property
    def key(self) -> str:
        return f"{self.namespace}/{self.parent}"


@answer
class ExecutionParked:
    """An execution parked; key: the execution. `wait_kinds`: timer, child, group, message, operator."""

    TOPIC: ClassVar[str] = "loom.execution-parked.v1"

    namespace: Namespace
    execution: ExecutionId
    incarnation: Incarnation
    park_seq: Sequence
    wait_kinds: tuple[str, ...]

    @property
    def key(self) -> str:
        return f"{self.namespace}/{self.execution}"


@answer
class NotifyResume:
    """An execution is runnable; key: the execution. Wakes the `claims` long-polls that event-store replicas hold."""

    TOPIC: ClassVar[str] = "loom.notify-resume.v1"

    namespace: Namespace
    execution: ExecutionId
    incarnation: Incarnation
    queue: str | None
    workflow: str
    reason: str
    sequence: Sequence

    @property
    def key(self) -> str:
        return f"{self.namespace}/{self.execution}"


Hint = ChildDone | ExecutionParked | NotifyResume


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """A hint as the outbox keeps it and the bus carries it.

    `created_at`: when what it tells was committed. `traceparent`: the W3C context of that fact, null without tracing.
    """

    hint: Hint
    created_at: Instant
    traceparent: str | None = None
