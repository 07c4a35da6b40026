"""A Change, row by row."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import assert_never

from loom.kernel import change as k
from loom.stores.deciding import ROWS_KEPT
from loom_event_store import rows
from loom_event_store.sqlite.statements import Statements


def apply(statements: Statements, writes: Iterable[k.Write]) -> None:
    """Write the rows of a Change, in their order."""
    for write in writes:
        _apply_one(statements, write)


def _apply_one(statements: Statements, write: k.Write) -> None:
    match write:
        case k.WriteHead(head=head):
            row = rows.head_row(head)
            if not statements.run("move_head", row):
                statements.run("write_head", row)
        case k.WriteEvents(head=head, events=events):
            for event in events:
                statements.run("write_event", rows.event_row(head, event))
        case k.WriteEdge(edge=edge):
            statements.run("write_edge", rows.edge_row(edge))
        case k.MoveEdge(edge=edge, parent=parent):
            statements.run("move_edge", {**rows.edge_row(edge), "to": parent.incarnation})
        case k.MoveMessages(head=head, to=to, consumed_since=since):
            statements.run("move_messages", {"head": head, "to": to, "consumed_since": since})
        case k.WriteMessage(head=head, message=message):
            statements.run("write_message", {"head": head, **rows.plain_row(message)})
        case k.WriteHint():
            statements.run("write_hint", rows.hint_row(write))
        case k.WriteGrant(head=head, grant=grant):
            statements.run("write_grant", {"head": head, **rows.plain_row(grant)})
            statements.run("trim_grants", {"head": head, "kept": ROWS_KEPT})
        case k.WritePin(head=head, pin=pin):
            statements.run("write_pin", {"head": head, **rows.plain_row(pin)})
        case k.RemovePinRow(head=head, owner=owner):
            statements.run("remove_pin", {"head": head, "owner": owner})
        case k.RemoveRows():
            _remove_rows(statements, write)
        case k.WriteDuty(duty=duty):
            statements.run("write_duty", rows.plain_row(duty))
        case k.WriteNode(node=node):
            statements.run("write_node", {**rows.plain_row(node), "features": json.dumps(node.features)})
        case k.ForgetNodes(since=since):
            statements.run("forget_nodes", {"since": since})
        case k.WriteFeatures(features=features):
            statements.run("write_features", {"features": json.dumps(features)})
        case _:
            assert_never(write)


def _remove_rows(statements: Statements, write: k.RemoveRows) -> None:
    for table in ("events", "metas", "blobs", "inbox", "grants", "refusals", "pins"):
        statements.run(f"remove_{table}", {"head": write.head})
    statements.run("remove_edges", {"head": write.head, "parent_incarnation": write.parent.incarnation})
