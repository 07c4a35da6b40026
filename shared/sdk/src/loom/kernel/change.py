"""What a decision does: rows to write, the answer to give, and the view it was taken on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from loom.errors import LoomError
from loom.ids import ExecutionId, ExecutionRef, Incarnation, Instant, Namespace, Sequence, Token
from loom.kernel.events import Event
from loom.kernel.heads import Duty, GrantRow, Head, Mail, Node, Pin
from loom.kernel.hints import Envelope
from loom.kernel.limits import Limits
from loom.kernel.parks import Edge


class View(Protocol):
    """What a store reads for `decide`, synchronously and under the locks of the call: all of it is one state."""

    def head_named(self, namespace: Namespace, execution_id: ExecutionId) -> Head | None: ...

    def head_of(self, incarnation: Incarnation) -> Head | None:
        """The living or ended head of this incarnation, wherever its row is named now; a tombstone of it too."""

    def event(self, head: int, seq: Sequence) -> Event | None: ...

    def terminal_event(self, head: int) -> Event | None: ...

    def event_of_batch(self, head: int, batch_id: str) -> Event | None:
        """The first event of the call that carried this key."""

    def answer_of_park(self, head: int, park_seq: Sequence) -> Event | None:
        """The RESUMED that answered this park."""

    def edge(self, parent: ExecutionRef, child_key: str) -> Edge | None: ...

    def edges_of_child(self, child: ExecutionRef) -> tuple[Edge, ...]:
        """In the order of their surrogates."""

    def edges_of_parent(self, parent: ExecutionRef) -> tuple[Edge, ...]:
        """In the order of their making."""

    def message(self, head: int, message_id: str) -> Mail | None: ...

    def oldest_message(self, head: int, name: str, key: str | None) -> Mail | None:
        """The oldest one waiting under this name; `key` None takes any."""

    def waiting_messages(self, head: int) -> int: ...

    def last_inbox_seq(self, head: int) -> int: ...

    def open_children(self, parent: ExecutionRef) -> int: ...

    def has_outcomes(self, parent: ExecutionRef) -> bool:
        """Is there an ended edge that is neither consumed nor released?"""

    def pins(self, head: int) -> tuple[Pin, ...]: ...

    def duty(self, name: str) -> Duty | None: ...

    def features(self) -> tuple[str, ...]:
        """Those that are on."""

    def fleet(self) -> tuple[Node, ...]:
        """In the order of their roles and instances."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """What comes from outside: the store's clock and epoch, its limits, and where new numbers come from.

    `traceparent`: where the call stands in a trace. It is kept with what the call writes and decides nothing.
    """

    now: Instant
    epoch: int
    limits: Limits
    new_incarnation: Callable[[], Incarnation]
    new_head: Callable[[], int]
    traceparent: str | None = None


@dataclass(frozen=True, slots=True)
class WriteHead:
    """Insert or replace the row with this surrogate."""

    head: Head


@dataclass(frozen=True, slots=True)
class WriteEvents:
    head: int
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class WriteEdge:
    """Insert or replace the edge of this parent incarnation and key."""

    edge: Edge


@dataclass(frozen=True, slots=True)
class MoveEdge:
    """The same edge under its parent's next link, moved in place: who addresses it by child meets it there (I41)."""

    edge: Edge
    parent: ExecutionRef


@dataclass(frozen=True, slots=True)
class MoveMessages:
    """The inbox goes along: what waits, and the ids consumed since `consumed_since`, by which a repeat is known."""

    head: int
    to: int
    consumed_since: Instant


@dataclass(frozen=True, slots=True)
class WriteMessage:
    """Insert or replace the inbox row of this message id."""

    head: int
    message: Mail


@dataclass(frozen=True, slots=True)
class WriteHint:
    """Put a hint into the outbox."""

    head: int
    envelope: Envelope


@dataclass(frozen=True, slots=True)
class WriteGrant:
    head: int
    grant: GrantRow


@dataclass(frozen=True, slots=True)
class WritePin:
    head: int
    pin: Pin


@dataclass(frozen=True, slots=True)
class RemovePinRow:
    head: int
    owner: str


@dataclass(frozen=True, slots=True)
class RemoveRows:
    """Remove all of this head but the head: events, meta, transcripts, inbox, grants, refusals, pins, own edges."""

    head: int
    parent: ExecutionRef


@dataclass(frozen=True, slots=True)
class WriteDuty:
    duty: Duty


@dataclass(frozen=True, slots=True)
class WriteNode:
    """Insert or replace the row of this instance."""

    node: Node


@dataclass(frozen=True, slots=True)
class ForgetNodes:
    """Remove those that have not told of themselves since."""

    since: Instant


@dataclass(frozen=True, slots=True)
class WriteFeatures:
    """These are on, and no others."""

    features: tuple[str, ...]


Write = (
    WriteHead
    | WriteEvents
    | WriteEdge
    | MoveEdge
    | MoveMessages
    | WriteMessage
    | WriteHint
    | WriteGrant
    | WritePin
    | RemovePinRow
    | RemoveRows
    | WriteDuty
    | WriteNode
    | ForgetNodes
    | WriteFeatures
)


@dataclass(frozen=True, slots=True)
class Change:
    """The rows of one transaction, in order, and the answer. An answer that is an error is raised after the commit."""

    writes: tuple[Write, ...]
    answer: Any


@dataclass(frozen=True, slots=True)
class Refusal:
    """Nothing changes. With `presented`, a late write under that token is to be recorded, best effort."""

    error: LoomError
    surface: str
    head: int | None = None
    presented: Token | None = None
    current: Token | None = None
