"""What `decide` reads, inside the transaction that writes what it decides."""

from __future__ import annotations

import json

from loom.ids import ExecutionId, ExecutionRef, Incarnation, Namespace, Sequence
from loom.kernel.events import Event
from loom.kernel.heads import Duty, Head, Mail, Node, Pin
from loom.kernel.parks import Edge
from loom_event_store import rows
from loom_event_store.sqlite.statements import Statements


class SqliteView:
    """The kernel's `View` over one transaction: under BEGIN IMMEDIATE nobody else writes, so all of it is one state."""

    def __init__(self, statements: Statements) -> None:
        self._statements = statements

    def head_named(self, namespace: Namespace, execution_id: ExecutionId) -> Head | None:
        name = {"namespace": namespace, "execution_id": execution_id}
        return self._statements.first("head_named", rows.head_from, name)

    def head_of(self, incarnation: Incarnation) -> Head | None:
        if incarnation > rows.GREATEST:  # a number that no head has, and no column holds
            return None
        return self._statements.first("head_of", rows.head_from, {"incarnation": incarnation})

    def event(self, head: int, seq: Sequence) -> Event | None:
        return self._statements.first("event", rows.event_from, {"head": head, "seq": seq})

    def terminal_event(self, head: int) -> Event | None:
        return self._statements.first("terminal_event", rows.event_from, {"head": head})

    def event_of_batch(self, head: int, batch_id: str) -> Event | None:
        return self._statements.first("event_of_batch", rows.event_from, {"head": head, "batch_id": batch_id})

    def answer_of_park(self, head: int, park_seq: Sequence) -> Event | None:
        return self._statements.first("answer_of_park", rows.event_from, {"head": head, "park_seq": park_seq})

    def edge(self, parent: ExecutionRef, child_key: str) -> Edge | None:
        key = {"parent_incarnation": parent.incarnation, "child_key": child_key}
        return self._statements.first("edge", rows.edge_from, key)

    def edges_of_child(self, child: ExecutionRef) -> tuple[Edge, ...]:
        return self._statements.all("edges_of_child", rows.edge_from, rows.plain_row(child))

    def edges_of_parent(self, parent: ExecutionRef) -> tuple[Edge, ...]:
        return self._statements.all("edges_of_parent", rows.edge_from, {"parent_incarnation": parent.incarnation})

    def message(self, head: int, message_id: str) -> Mail | None:
        return self._statements.first("message", rows.mail_from, {"head": head, "message_id": message_id})

    def oldest_message(self, head: int, name: str, key: str | None) -> Mail | None:
        return self._statements.first("oldest_message", rows.mail_from, {"head": head, "name": name, "key": key})

    def waiting_messages(self, head: int) -> int:
        return self._statements.number("waiting_messages", {"head": head})

    def last_inbox_seq(self, head: int) -> int:
        return self._statements.number("last_inbox_seq", {"head": head})

    def open_children(self, parent: ExecutionRef) -> int:
        return self._statements.number("open_children", {"parent_incarnation": parent.incarnation})

    def has_outcomes(self, parent: ExecutionRef) -> bool:
        return bool(self._statements.number("has_outcomes", {"parent_incarnation": parent.incarnation}))

    def pins(self, head: int) -> tuple[Pin, ...]:
        return self._statements.all("pins", rows.pin_from, {"head": head})

    def duty(self, name: str) -> Duty | None:
        return self._statements.first("duty", rows.duty_from, {"name": name})

    def features(self) -> tuple[str, ...]:
        found: tuple[str, ...] | None = self._statements.first("features", _features_from, {})
        assert found is not None, "the schema makes this row"
        return found

    def fleet(self) -> tuple[Node, ...]:
        return self._statements.all("fleet", rows.node_from, {})


def _features_from(row: rows.Row) -> tuple[str, ...]:
    return tuple(json.loads(row["features"]))
