"""A Change as the JSON that `apply_change_v1` takes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, assert_never

from loom.kernel import change as k
from loom.stores.deciding import ROWS_KEPT
from loom_event_store import rows

_Form = dict[str, Any]


def worded(writes: Iterable[k.Write]) -> str:
    """The rows in their order. A payload is a JSON string here, its escapes escaped, so that nothing reads it."""
    return json.dumps([_worded_one(write) for write in writes])


def _worded_one(write: k.Write) -> _Form:
    match write:
        case k.WriteHead(head=head):
            row = rows.head_row(head)
            return _row("head", {**row, "waits": None if row["waits"] is None else json.loads(row["waits"])})
        case k.WriteEvents(head=head, events=events):
            return {"write": "events", "rows": [_present(rows.event_row(head, event)) for event in events]}
        case k.WriteEdge(edge=edge):
            return _row("edge", rows.edge_row(edge))
        case k.MoveEdge(edge=edge, parent=parent):
            at = {"parent_incarnation": edge.parent.incarnation, "child_key": edge.child_key}
            return _row("move_edge", {**at, "to": parent.incarnation})
        case k.MoveMessages(head=head, to=to, consumed_since=since):
            return _row("move_messages", {"head": head, "to": to, "consumed_since": since})
        case k.WriteMessage(head=head, message=message):
            return _row("message", {"head": head, **rows.plain_row(message)})
        case k.WriteHint():
            return _row("hint", rows.hint_row(write))
        case k.WriteGrant(head=head, grant=grant):
            return {**_row("grant", {"head": head, **rows.plain_row(grant)}), "kept": ROWS_KEPT}
        case k.WritePin(head=head, pin=pin):
            return _row("pin", {"head": head, **rows.plain_row(pin)})
        case k.RemovePinRow(head=head, owner=owner):
            return _row("remove_pin", {"head": head, "owner": owner})
        case k.RemoveRows(head=head, parent=parent):
            return _row("remove_rows", {"head": head, "parent_incarnation": parent.incarnation})
        case k.WriteDuty(duty=duty):
            return _row("duty", rows.plain_row(duty))
        case k.WriteNode(node=node):
            return _row("node", rows.plain_row(node))
        case k.ForgetNodes(since=since):
            return _row("forget_nodes", {"since": since})
        case k.WriteFeatures(features=features):
            return _row("features", {"features": features})
        case _:
            assert_never(write)


def _row(name: str, row: _Form) -> _Form:
    return {"write": name, "row": _present(row)}


def _present(row: _Form) -> _Form:
    return {name: value for name, value in row.items() if value is not None}
