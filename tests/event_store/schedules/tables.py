"""Everything a store holds of some executions, as nouns; and in one canonical text, free of names and numbers."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import asyncpg

from loom.errors import LoomError
from loom.kernel import calls as c
from loom.kernel.change import (
    Write,
    WriteDuty,
    WriteEdge,
    WriteEvents,
    WriteGrant,
    WriteHead,
    WriteHint,
    WriteMessage,
    WritePin,
)
from loom.kernel.events import Event
from loom.kernel.heads import Duty, GrantRow, Head, Mail, Pin
from loom.kernel.hints import Envelope
from loom.kernel.parks import Edge
from loom.stores.memory import Rows
from loom_event_store import rows


class Numbers(Random):
    """Incarnations that are told apart from every other number by their length."""

    def getrandbits(self, k: int) -> int:
        return super().getrandbits(k) | (1 << 62) if k == 63 else super().getrandbits(k)


@dataclass(slots=True)
class Tables:
    """By surrogate of the head."""

    heads: dict[int, Head] = field(default_factory=dict)
    events: dict[int, list[Event]] = field(default_factory=lambda: defaultdict(list))
    edges: list[Edge] = field(default_factory=list)
    inbox: dict[int, list[Mail]] = field(default_factory=lambda: defaultdict(list))
    pins: dict[int, list[Pin]] = field(default_factory=lambda: defaultdict(list))
    grants: dict[int, list[GrantRow]] = field(default_factory=lambda: defaultdict(list))
    hints: dict[int, list[Envelope]] = field(default_factory=lambda: defaultdict(list))
    duties: list[Duty] = field(default_factory=list)

    def head_of(self, incarnation: int) -> Head | None:
        return next((head for head in self.heads.values() if head.incarnation == incarnation), None)


def from_memory(memory: Rows) -> Tables:
    """What the oracle holds."""
    hints: dict[int, list[Envelope]] = defaultdict(list)
    for head, envelope in memory.outbox.values():
        hints[head].append(envelope)
    return Tables(
        heads=dict(memory.heads),
        events=defaultdict(list, {head: list(events) for head, events in memory.events.items()}),
        edges=list(memory.edges.values()),
        inbox=defaultdict(list, {head: list(mails.values()) for head, mails in memory.inbox.items()}),
        pins=defaultdict(list, {head: list(pins.values()) for head, pins in memory.pin_rows.items()}),
        grants=defaultdict(list, {head: list(grants) for head, grants in memory.grants.items()}),
        hints=hints,
        duties=list(memory.duties.values()),
    )


def writes_of(tables: Tables, first: int) -> list[Write]:
    """The rows to put into a database, surrogates from `first` on."""

    def of(head: int) -> int:
        return first + head

    def moved(head: Head) -> Head:
        return replace(head, head=of(head.head), parent_head=None if head.parent_head is None else of(head.parent_head))

    writes: list[Write] = [WriteHead(moved(head)) for head in tables.heads.values()]
    writes += [WriteEvents(of(head), tuple(events)) for head, events in tables.events.items() if events]
    writes += [WriteEdge(edge) for edge in tables.edges]
    writes += [WriteMessage(of(head), mail) for head, mails in tables.inbox.items() for mail in mails]
    writes += [WritePin(of(head), pin) for head, pins in tables.pins.items() for pin in pins]
    writes += [WriteGrant(of(head), grant) for head, grants in tables.grants.items() for grant in grants]
    writes += [WriteHint(of(head), told) for head, envelopes in tables.hints.items() for told in envelopes]
    writes += [WriteDuty(duty) for duty in tables.duties]
    return writes


_OF_HEADS = "JOIN event_store.heads ON heads.head = {0}.head WHERE heads.namespace = ANY($1)"
_EDGES = """
SELECT edges.*, heads.namespace AS parent_namespace, heads.execution_id AS parent_id
  FROM event_store.edges JOIN event_store.heads ON heads.head = edges.parent_head
 WHERE heads.namespace = ANY($1) ORDER BY edges.edge
"""


async def read_tables(connection: asyncpg.Connection[asyncpg.Record], namespaces: list[str]) -> dict[str, Tables]:
    """What the database holds, by namespace."""
    found: dict[str, Tables] = {namespace: Tables() for namespace in namespaces}
    place: dict[int, Tables] = {}
    for row in await connection.fetch("SELECT * FROM event_store.heads WHERE namespace = ANY($1)", namespaces):
        place[row["head"]] = found[row["namespace"]]
        place[row["head"]].heads[row["head"]] = rows.head_from(row)
    for table, name, of, order in (
        ("events", "events", rows.event_from, "events.seq"),
        ("inbox", "inbox", rows.mail_from, "inbox.inbox_seq"),
        ("pins", "pins", rows.pin_from, "pins.owner"),
        ("grants", "grants", rows.grant_from, "grants.token"),
        ("outbox", "hints", rows.envelope_from, "outbox.id"),
    ):
        query = f"SELECT {table}.* FROM event_store.{table} {_OF_HEADS.format(table)} ORDER BY {order}"
        for row in await connection.fetch(query, namespaces):
            getattr(place[row["head"]], name)[row["head"]].append(of(row))
    for row in await connection.fetch(_EDGES, namespaces):
        found[row["parent_namespace"]].edges.append(rows.edge_from(row))
    for row in await connection.fetch("SELECT * FROM event_store.duties WHERE name = ANY($1)", namespaces):
        found[row["name"]].duties.append(rows.duty_from(row))
    return found


# --- one text ---------------------------------------------------------------------------------------------------------

_LABELLED = re.compile(r"\b\d{19}\b|~c[a-z2-7]{26}|\b[0-9a-f]{64}\b")
_INSTANT = re.compile(r"\b1[67]\d{11}\b")
_ENUM = re.compile(r"<\w+\.\w+: ('[^']*')>")
_SURROGATE = re.compile(r"\b(head|parent_head)=(-?\d+)")


def canonical(namespace: str, tables: Tables, answers: Iterable[Any], *, timeless: bool = False) -> str:
    """Equal if and only if two stores hold and answered the same, up to the names that a run mints; `timeless`: and up
    to instants, which a call may read more than once while the clock moves.
    """
    answers = ["an answer about others" if isinstance(answer, _OF_OTHERS) else answer for answer in answers]
    said = [f"answer {number}: {_said(answer)}" for number, answer in enumerate(answers)]
    for head in sorted(tables.heads.values(), key=_place):
        said.append(repr(replace(head, head=0, parent_head=None if head.parent_head is None else 0)))
        for rows_of in (tables.events, tables.inbox, tables.pins, tables.grants):
            said += map(repr, sorted(rows_of[head.head], key=_order))  # type: ignore[index]
        told = (f"{each.hint!r} {each.traceparent}" for each in tables.hints[head.head])
        said += sorted(told, key=lambda hint: _LABELLED.sub("", hint))
    places = {head.incarnation: _place(head) for head in tables.heads.values()}
    said += map(repr, sorted(tables.edges, key=lambda edge: (places[edge.parent.incarnation], edge.child_key)))
    said += map(repr, tables.duties)
    text = _unnamed(namespace, "\n".join(said))
    return _INSTANT.sub("when", text) if timeless else text


_OF_OTHERS = (c.StoreInfo, c.Namespaces, c.DueList)


def _said(answer: Any) -> str:
    if isinstance(answer, LoomError):
        return f"{answer.code} {sorted(answer.facts.items())}"
    if isinstance(answer, c.Counts):
        return f"Counts {sorted(answer.counts.items())}"
    return _SURROGATE.sub(r"\1=", repr(answer))


def _place(head: Head) -> tuple[Any, ...]:
    """An order of heads that does not depend on what is minted."""
    return re.sub(r"~.*", "", head.execution_id), head.parent_key or "", "~c" in head.execution_id, head.link


def _order(row: Any) -> Any:
    for name in ("seq", "inbox_seq", "owner", "token"):
        if hasattr(row, name) and not isinstance(row, GrantRow):
            return getattr(row, name)
    return row.token


def _unnamed(namespace: str, text: str) -> str:
    labels: dict[str, str] = {}
    text = _ENUM.sub(r"\1", text.replace(namespace, "NS"))
    return _LABELLED.sub(lambda match: labels.setdefault(match.group(), f"#{len(labels)}"), text)
