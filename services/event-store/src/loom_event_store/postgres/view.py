"""What `decide` reads. It asks without waiting, so what is not read yet is read, and it decides once more."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from loom.ids import ExecutionId, ExecutionRef, Incarnation, Namespace, Sequence
from loom.kernel.events import Event
from loom.kernel.heads import Duty, Head, Mail, Node, Pin
from loom.kernel.parks import Edge
from loom_event_store import rows
from loom_event_store.postgres.statements import Statements
from loom_event_store.rows import Row

Name = tuple[Namespace, ExecutionId]
EdgeKey = tuple[int, str]  # the parent's incarnation and the child's key


def _number(row: Row) -> int:
    return int(row["number"])


def _features(row: Row) -> tuple[str, ...]:
    return tuple(row["features"])


_FROM: dict[str, Any] = {
    "head_of": rows.head_from,
    "event": rows.event_from,
    "event_of_batch": rows.event_from,
    "answer_of_park": rows.event_from,
    "terminal_event": rows.event_from,
    "edge": rows.edge_from,
    "edges_of_child": rows.edge_from,
    "edges_of_parent": rows.edge_from,
    "message": rows.mail_from,
    "oldest_message": rows.mail_from,
    "waiting_messages": _number,
    "last_inbox_seq": _number,
    "open_children": _number,
    "has_outcomes": _number,
    "pins": rows.pin_from,
    "duty": rows.duty_from,
    "features": _features,
    "fleet": rows.node_from,
}
_MANY = frozenset({"edges_of_child", "edges_of_parent", "pins", "fleet"})


@dataclass(frozen=True, slots=True)
class Unread(Exception):
    """The decision needs the answer of this query."""

    query: str
    parameters: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Unlocked(Exception):
    """The decision looks at a head that the call has not locked."""

    name: Name


@dataclass(slots=True)
class LockedView:
    """The kernel's `View`: heads as they were when they were locked, everything else as read since then.

    `heads` has an entry for every name that was locked, None where nothing lives under it.
    """

    heads: dict[Name, Head | None]
    locked_edges: frozenset[EdgeKey] = frozenset()
    _read: dict[tuple[str, tuple[Any, ...]], Any] = field(default_factory=dict)

    async def answer(self, question: Unread, statements: Statements) -> None:
        """Read what the decision asked for; it is the same for the rest of the transaction."""
        ask = statements.all if question.query in _MANY else statements.first
        answer = await ask(question.query, _FROM[question.query], *question.parameters)
        self._read[question.query, question.parameters] = answer

    def forget(self) -> None:
        """What was read before a wait for more locks shows what was before it."""
        self._read.clear()

    async def read_edges(self, keys: Iterable[EdgeKey], statements: Statements) -> None:
        """Read these edges in one statement, those that are not there too."""
        wanted = sorted(set(keys))
        if not wanted:
            return
        parents, names = [parent for parent, _ in wanted], [key for _, key in wanted]
        found = await statements.all("edges_of_keys", rows.edge_from, parents, names)
        there = {(int(edge.parent.incarnation), edge.child_key): edge for edge in found}
        self._read.update({("edge", key): there.get(key) for key in wanted})

    async def read_parents(self, statements: Statements) -> None:
        """Read the edges that name these heads as children, and the heads of their parents: two statements for all."""
        children = [head for head in self.heads.values() if head is not None]
        edges = await statements.all(
            "edges_of_children", rows.edge_from, [int(child.incarnation) for child in children]
        )
        parents = sorted({int(edge.parent.incarnation) for edge in edges})
        there = {int(head.incarnation): head for head in await statements.all("heads_of", rows.head_from, parents)}
        self._read.update({("head_of", (parent,)): there.get(parent) for parent in parents})
        for child in children:
            asked = (int(child.incarnation), child.namespace, child.execution_id)
            self._read["edges_of_child", asked] = tuple(edge for edge in edges if edge.child == child.ref)

    def _ask(self, query: str, *parameters: Any) -> Any:
        try:
            return self._read[query, parameters]
        except KeyError:
            raise Unread(query, parameters) from None

    def head_named(self, namespace: Namespace, execution_id: ExecutionId) -> Head | None:
        name = (namespace, execution_id)
        if name not in self.heads:
            raise Unlocked(name)
        return self.heads[name]

    def head_of(self, incarnation: Incarnation) -> Head | None:
        for head in self.heads.values():
            if head is not None and head.incarnation == incarnation:
                return head
        if incarnation > rows.GREATEST:  # a number that no head has, and no column holds
            return None
        found: Head | None = self._ask("head_of", int(incarnation))
        return found

    def event(self, head: int, seq: Sequence) -> Event | None:
        found: Event | None = self._ask("event", head, seq)
        return found

    def event_of_batch(self, head: int, batch_id: str) -> Event | None:
        found: Event | None = self._ask("event_of_batch", head, batch_id)
        return found

    def terminal_event(self, head: int) -> Event | None:
        found: Event | None = self._ask("terminal_event", head)
        return found

    def answer_of_park(self, head: int, park_seq: Sequence) -> Event | None:
        found: Event | None = self._ask("answer_of_park", head, park_seq)
        return found

    def edge(self, parent: ExecutionRef, child_key: str) -> Edge | None:
        found: Edge | None = self._ask("edge", int(parent.incarnation), child_key)
        return found

    def edges_of_child(self, child: ExecutionRef) -> tuple[Edge, ...]:
        found: tuple[Edge, ...] = self._ask(
            "edges_of_child", int(child.incarnation), child.namespace, child.execution_id
        )
        return found

    def edges_of_parent(self, parent: ExecutionRef) -> tuple[Edge, ...]:
        found: tuple[Edge, ...] = self._ask("edges_of_parent", int(parent.incarnation))
        return found

    def message(self, head: int, message_id: str) -> Mail | None:
        found: Mail | None = self._ask("message", head, message_id)
        return found

    def oldest_message(self, head: int, name: str, key: str | None) -> Mail | None:
        found: Mail | None = self._ask("oldest_message", head, name, key)
        return found

    def waiting_messages(self, head: int) -> int:
        return int(self._ask("waiting_messages", head))

    def last_inbox_seq(self, head: int) -> int:
        return int(self._ask("last_inbox_seq", head))

    def open_children(self, parent: ExecutionRef) -> int:
        return int(self._ask("open_children", int(parent.incarnation)))

    def has_outcomes(self, parent: ExecutionRef) -> bool:
        return bool(self._ask("has_outcomes", int(parent.incarnation)))

    def pins(self, head: int) -> tuple[Pin, ...]:
        found: tuple[Pin, ...] = self._ask("pins", head)
        return found

    def duty(self, name: str) -> Duty | None:
        found: Duty | None = self._ask("duty", name)
        return found

    def features(self) -> tuple[str, ...]:
        found: tuple[str, ...] = self._ask("features")
        return found

    def fleet(self) -> tuple[Node, ...]:
        found: tuple[Node, ...] = self._ask("fleet")
        return found
