"""Rows to nouns and back: the only place that knows which column holds which field."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any, Protocol

from loom.ids import Chain, ExecutionId, ExecutionRef, Incarnation, Instant, Namespace, Token
from loom.kernel.change import WriteHint
from loom.kernel.events import Event
from loom.kernel.heads import Duty, GrantRow, Head, Mail, Node, Pin, RefusalRow, Status
from loom.kernel.hints import ChildDone, Envelope, ExecutionParked, Hint, NotifyResume
from loom.kernel.parks import Edge, waits_from
from loom.kernel.raw_json import RawJson, encode

Parameters = dict[str, Any]

GREATEST = 2**63 - 1
"""The greatest number that a column holds."""


class Row(Protocol):
    """What a driver gives: columns by name."""

    def __getitem__(self, name: str, /) -> Any: ...


_HINTS: dict[str, type[Hint]] = {hint.TOPIC: hint for hint in (ChildDone, ExecutionParked, NotifyResume)}


def _columns(noun: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(noun))


_HEAD = _columns(Head)
_EVENT = _columns(Event)


def head_from(row: Row) -> Head:
    """A row of `heads`."""
    values = {name: row[name] for name in _HEAD}
    values["incarnation"] = Incarnation(values["incarnation"])
    values["chain"] = Chain(values["chain"])
    values["root"] = Incarnation(values["root"])
    values["token"] = Token(values["token"])
    values["status"] = Status(values["status"])
    values["single_writer"] = bool(values["single_writer"])
    values["unknown_tail"] = bool(values["unknown_tail"])
    values["waits"] = waits_from(json.loads(values["waits"])) if values["waits"] else ()
    if values["parent_incarnation"] is not None:
        values["parent_incarnation"] = Incarnation(values["parent_incarnation"])
    if values["ending"] is not None:
        values["ending"] = Status(values["ending"])
    return Head(**values)


def head_row(head: Head) -> Parameters:
    """The columns of a head; `waits` is Loom's own JSON, null without any."""
    row = {name: getattr(head, name) for name in _HEAD}
    return {**row, "waits": encode(head.waits) if head.waits else None}


def event_from(row: Row) -> Event:
    """A row of `events`."""
    values = {name: row[name] for name in _EVENT}
    values["payload"] = RawJson(values["payload"])
    values["fence"] = Token(values["fence"])
    values["kernel"] = bool(values["kernel"])
    return Event(**values)


def event_row(head: int, event: Event) -> Parameters:
    """The columns of an event of this head."""
    return {"head": head, **{name: getattr(event, name) for name in _EVENT}}


def edge_from(row: Row) -> Edge:
    """A row of `edges`, with the name of its parent's head."""
    return Edge(
        parent=ExecutionRef(
            namespace=Namespace(row["parent_namespace"]),
            execution_id=ExecutionId(row["parent_id"]),
            incarnation=Incarnation(row["parent_incarnation"]),
        ),
        child_key=row["child_key"],
        child=ExecutionRef(
            namespace=Namespace(row["child_namespace"]),
            execution_id=ExecutionId(row["child_id"]),
            incarnation=Incarnation(row["child_incarnation"]),
        ),
        status=row["status"],
        outcome=None if row["outcome"] is None else RawJson(row["outcome"]),
        close=row["close"],
        scope=row["scope"],
        released=bool(row["released"]),
        consumed_at_seq=row["consumed_at_seq"],
    )


def edge_row(edge: Edge) -> Parameters:
    """The columns of an edge; its `parent_head` is found by the parent's incarnation."""
    return {
        "parent_incarnation": edge.parent.incarnation,
        "child_key": edge.child_key,
        "child_namespace": edge.child.namespace,
        "child_id": edge.child.execution_id,
        "child_incarnation": edge.child.incarnation,
        "status": edge.status,
        "outcome": edge.outcome,
        "close": edge.close,
        "scope": edge.scope,
        "released": edge.released,
        "consumed_at_seq": edge.consumed_at_seq,
    }


def mail_from(row: Row) -> Mail:
    """A row of `inbox`."""
    values = {name: row[name] for name in _columns(Mail)}
    return Mail(**{**values, "payload": RawJson(values["payload"]), "resumed": bool(values["resumed"])})


def pin_from(row: Row) -> Pin:
    """A row of `pins`."""
    return Pin(owner=row["owner"], reason=row["reason"], expiry=row["expiry"])


def grant_from(row: Row) -> GrantRow:
    """A row of `grants`."""
    return GrantRow(token=Token(row["token"]), rule=row["rule"], owner=row["owner"], at=row["at"])


def refusal_from(row: Row) -> RefusalRow:
    """A row of `refusals`."""
    values = {name: row[name] for name in _columns(RefusalRow)}
    return RefusalRow(**{**values, "token": Token(row["token"]), "current_token": Token(row["current_token"])})


def duty_from(row: Row) -> Duty:
    """A row of `duties`."""
    return Duty(**{name: row[name] for name in _columns(Duty)})


def node_from(row: Row) -> Node:
    """A row of `nodes`; a driver without arrays gives its features as JSON."""
    values = {name: row[name] for name in _columns(Node)}
    features = values["features"]
    return Node(**{**values, "features": tuple(json.loads(features) if isinstance(features, str) else features)})


def plain_row(noun: Any) -> Parameters:
    """The row of a noun whose fields are its columns."""
    return {name: getattr(noun, name) for name in _columns(type(noun))}


def hint_row(write: WriteHint) -> Parameters:
    """The outbox row of a hint: its topic, key and JSON."""
    hint = write.envelope.hint
    return {
        "head": write.head,
        "topic": hint.TOPIC,
        "key": hint.key,
        "body": encode(hint),
        "created_at": write.envelope.created_at,
        "traceparent": write.envelope.traceparent,
    }


def hint_from(row: Row) -> Hint:
    """The hint that an outbox row holds."""
    values = json.loads(row["body"])
    for name in ("incarnation", "parent_incarnation", "child_incarnation"):
        if name in values:
            values[name] = Incarnation.parse(values[name])
    if "wait_kinds" in values:
        values["wait_kinds"] = tuple(values["wait_kinds"])
    return _HINTS[row["topic"]](**values)


def envelope_from(row: Row) -> Envelope:
    """An outbox row's hint, when it was told and in which trace."""
    return Envelope(hint=hint_from(row), created_at=Instant(row["created_at"]), traceparent=row["traceparent"])


def id_from(row: Row) -> int:
    """The row's id."""
    return int(row["id"])


def numbered_envelope_from(row: Row) -> tuple[int, Envelope]:
    """The row's id, and its envelope."""
    return row["id"], envelope_from(row)
