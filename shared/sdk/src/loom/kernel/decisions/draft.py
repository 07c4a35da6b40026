"""A change in the making: one head and what is written around it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from loom.errors import LimitReached
from loom.ids import Incarnation, Sequence
from loom.kernel.change import (
    Change,
    Moment,
    View,
    Write,
    WriteEdge,
    WriteEvents,
    WriteGrant,
    WriteHead,
    WriteHint,
    WriteMessage,
)
from loom.kernel.events import Event
from loom.kernel.heads import GrantRow, Head, Mail, Status
from loom.kernel.hints import ChildDone, Envelope, Hint, NotifyResume
from loom.kernel.kinds import TERMINAL_KINDS, EventKind, kind_of
from loom.kernel.parks import Edge
from loom.kernel.raw_json import RawJson

PendingEdges = dict[tuple[Incarnation, str], Edge]

ALWAYS_FIT = TERMINAL_KINDS | {EventKind.EXECUTION_RESUMED, EventKind.EXECUTION_CANCEL_REQUESTED}
"""A full log can still be resumed, cancelled and ended (I12, I29); a park is what it has no room for."""
COPIED = frozenset({EventKind.MESSAGE_CONSUMED, EventKind.CHILD_OUTCOME})
"""What an answer copies; while parked these are written with a RESUMED only."""
BEGINNING = frozenset({EventKind.EXECUTION_STARTED, EventKind.EXECUTION_RESUMED})
"""What begins a segment; the head keeps its trace context."""


class Draft:
    """The head as it will be, its new events, and the rows beside it. Nothing is written before `change`."""

    def __init__(self, view: View, moment: Moment, head: Head, edges: PendingEdges | None = None) -> None:
        self.view = view
        self.moment = moment
        self.head = head
        self._events: list[Event] = []
        self._others: list[Write] = []
        self._edges: PendingEdges = {} if edges is None else edges
        self._mail: dict[str, Mail] = {}
        self._first: dict[str, str] = {}

    def keyed(self, batch_id: str | None, digest: str) -> Draft:
        """The next event carries the call's key and digest."""
        if batch_id is not None:
            self._first = {"batch_id": batch_id, "batch_digest": digest}
        return self

    def add(
        self,
        kind: str,
        payload: RawJson,
        *,
        position: int | None = None,
        answers_park: Sequence | None = None,
        reserved: bool = True,
    ) -> Sequence:
        """One more event, at the head's next sequence and under its token. Raises LimitReached."""
        self._check_room(kind, reserved)
        seq = Sequence(self.head.last_seq + 1)
        self._events.append(
            Event(
                seq=seq,
                kind=kind,
                payload=payload,
                fence=self.head.token,
                kernel=kind_of(kind) is not None,
                recorded_at=self.moment.now,
                position=position,
                answers_park=answers_park,
                traceparent=self.moment.traceparent,
                **self._first,
            )
        )
        self._first = {}
        self.head = replace(
            self.head,
            traceparent=self.moment.traceparent if kind in BEGINNING else self.head.traceparent,
            last_seq=seq,
            last_position=self.head.last_position if position is None else position,
            log_bytes=self.head.log_bytes + len(payload.encode("utf-8", "surrogatepass")),
        )
        return seq

    def _check_room(self, kind: str, reserved: bool) -> None:
        limits = self.moment.limits
        room = limits.log_events if reserved else limits.log_events - limits.log_reserved
        if self.head.last_seq < room or kind in ALWAYS_FIT or (kind in COPIED and self.head.status is Status.PARKED):
            return
        raise LimitReached(
            f"the log holds {self.head.last_seq} of {room} events: continue as new, or start another execution",
            execution_id=self.head.execution_id,
        )

    def move(self, **fields: Any) -> None:
        """Change fields of the head; a new status is dated."""
        if fields.get("status", self.head.status) != self.head.status:
            fields["status_at"] = self.moment.now
        self.head = replace(self.head, **fields)

    def edge(self, child_key: str) -> Edge | None:
        """The edge under this key as the change leaves it."""
        pending = self._edges.get((self.head.incarnation, child_key))
        return pending or self.view.edge(self.head.ref, child_key)

    def edges_of_child(self) -> tuple[Edge, ...]:
        return tuple(
            self._edges.get((edge.parent.incarnation, edge.child_key), edge)
            for edge in self.view.edges_of_child(self.head.ref)
        )

    def write_edge(self, edge: Edge) -> None:
        self._edges[edge.parent.incarnation, edge.child_key] = edge
        self._others.append(WriteEdge(edge))

    def message(self, message_id: str) -> Mail | None:
        """The message of this id as the change leaves it."""
        return self._mail.get(message_id) or self.view.message(self.head.head, message_id)

    def write_message(self, message: Mail) -> None:
        self._mail[message.message_id] = message
        self._others.append(WriteMessage(self.head.head, message))

    def write(self, *rows: Write) -> None:
        self._others.extend(rows)

    def hint(self, hint: Hint) -> None:
        """Tell the outbox, in the trace of the call.

        A child's end is told in the trace of its own segment, or whoever ended it would drag its parent into theirs.
        """
        own = self.head.traceparent if isinstance(hint, ChildDone) else None
        envelope = Envelope(hint=hint, created_at=self.moment.now, traceparent=own or self.moment.traceparent)
        self._others.append(WriteHint(self.head.head, envelope))

    def hint_runnable(self, reason: str) -> None:
        """Tell who holds `claims` polls; nobody claims what is in single-writer mode."""
        if self.head.queue is not None and not self.head.single_writer:
            self.hint(
                NotifyResume(
                    namespace=self.head.namespace,
                    execution=self.head.execution_id,
                    incarnation=self.head.incarnation,
                    queue=self.head.queue,
                    workflow=self.head.workflow,
                    reason=reason,
                    sequence=self.head.last_seq,
                )
            )

    def bump(self) -> None:
        """Ownership moves to nobody: token + 1, grant, owner and lease cleared."""
        self.move(token=self.head.token.next(self.moment.epoch), grant_hash=None, owner=None, lease_until=None)

    def record_grant(self, rule: str) -> None:
        """A bump that appends no event leaves a row of its own."""
        grant = GrantRow(token=self.head.token, rule=rule, owner=self.head.owner, at=self.moment.now)
        self._others.append(WriteGrant(self.head.head, grant))

    @property
    def writes(self) -> tuple[Write, ...]:
        events = (WriteEvents(self.head.head, tuple(self._events)),) if self._events else ()
        return (WriteHead(self.head), *events, *self._others)

    def change(self, answer: Any) -> Change:
        return Change(self.writes, answer)


def joined(drafts: Iterable[Draft], answer: Any) -> Change:
    """One transaction of several heads, in the order given."""
    return Change(tuple(write for draft in drafts for write in draft.writes), answer)


Decision = Callable[[View, Any, Moment], Change]
