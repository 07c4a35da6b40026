"""What clients wrote down and what the store holds, put side by side: calls by their key, logs by their incarnation."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from event_store.schedules.tables import Tables
from loom.kernel.events import Event
from loom.kernel.heads import Head, Status
from storm.history import End, Operation

COPIED = frozenset({"MESSAGE_CONSUMED", "CHILD_OUTCOME", "EXECUTION_CANCELLED"})
"""Kinds whose payload the store makes."""

_KIND_OF = {
    "start": "EXECUTION_STARTED",
    "start_child": "CHILD_STARTED",
    "attach": "CHILD_STARTED",
    "park": "EXECUTION_SUSPENDED",
    "continue_as_new": "EXECUTION_CONTINUED",
    "cancel": "EXECUTION_CANCEL_REQUESTED",
}
"""What a call that names no kind writes, as the first event under its key."""


@dataclass(slots=True)
class Written:
    """Every try at one call under one key, at one execution; `events` as an append names them, else none."""

    incarnation: int | None
    batch_id: str
    method: str
    token: int | None
    events: tuple[dict[str, Any], ...]
    tries: list[Operation] = field(default_factory=list)

    @property
    def end(self) -> End:
        """Acknowledged by one try, or refused to every one; else nobody knows."""
        ends = {operation.end for operation in self.tries}
        return "ok" if "ok" in ends else "unknown" if "unknown" in ends else "fail"

    @property
    def invoked_at(self) -> int:
        return min(operation.invoked_at for operation in self.tries)

    @property
    def acknowledged_at(self) -> int | None:
        """When a client first knew that it was done."""
        return min((one.ended_at for one in self.tries if one.end == "ok" and one.ended_at is not None), default=None)

    @property
    def answers(self) -> list[Any]:
        return [operation.answer for operation in self.tries if operation.end == "ok"]

    @property
    def name(self) -> str:
        return f"{self.method} {self.batch_id} of {self.tries[0].client}"

    def why_unlike(self, found: Sequence[Event]) -> str | None:
        """How what the log has from the key's event on differs from what was asked for, or None."""
        if not self.events:
            kind = _KIND_OF.get(self.method)
            return None if kind in (None, found[0].kind) else f"{found[0].kind} stands where {kind} was written"
        for number, wanted in enumerate(self.events):
            event = found[number] if number < len(found) else None
            if event is None or event.kind != wanted["kind"] or (number and event.batch_id is not None):
                return f"its {wanted['kind']}, number {number + 1} of {len(self.events)}, is not there"
            if event.kind not in COPIED and json.loads(event.payload) != wanted.get("payload"):
                return f"its {wanted['kind']} has another payload"
        return None


class Book:
    """One run: operations and tables, with what the checks look up."""

    def __init__(self, operations: Iterable[Operation], tables: Tables) -> None:
        self.operations = tuple(operations)
        self.tables = tables
        self.heads: dict[int, Head] = {
            int(head.incarnation): head for head in tables.heads.values() if head.status is not Status.DELETED
        }

    def log(self, head: Head) -> list[Event]:
        return self.tables.events[head.head]

    @cached_property
    def written(self) -> list[Written]:
        """Calls that are recognised by their key, at each execution that they wrote to."""
        found: dict[tuple[str, str, str, Any, Any], Written] = {}
        for operation in self.operations:
            for name, incarnation, token, events in _parts_of(operation):
                key = (operation.method, operation.call["batch_id"], name, incarnation, token)
                written = found.setdefault(key, Written(incarnation, key[1], operation.method, token, events))
                written.tries.append(operation)
                if written.incarnation is None and operation.answer is not None:
                    written.incarnation = int(operation.answer["execution"]["incarnation"])
        return list(found.values())

    @cached_property
    def _keys(self) -> dict[tuple[int, str], int]:
        return {
            (incarnation, event.batch_id): index
            for incarnation, head in self.heads.items()
            for index, event in enumerate(self.log(head))
            if event.batch_id is not None
        }

    def found(self, written: Written) -> list[Event]:
        """The log from the event that bears the call's key; empty if there is none."""
        if written.incarnation is None or written.incarnation not in self.heads:
            return []
        index = self._keys.get((written.incarnation, written.batch_id))
        return [] if index is None else self.log(self.heads[written.incarnation])[index:]

    @cached_property
    def _by_key(self) -> dict[tuple[str, str, int | None], dict[int | None, Written]]:
        found: dict[tuple[str, str, int | None], dict[int | None, Written]] = defaultdict(dict)
        for written in self.written:
            found[written.method, written.batch_id, written.incarnation][written.token] = written
        return found

    def is_anothers(self, written: Written, fence: int) -> bool:
        """Did another grant make this very call, and write under `fence`? Keys of effects outlive a grant."""
        return fence != written.token and fence in self._by_key[written.method, written.batch_id, written.incarnation]

    @cached_property
    def grants(self) -> dict[tuple[int, int], list[Operation]]:
        """Operations under a grant, by incarnation and token, in the order of their calls; its claim is not one."""
        found: dict[tuple[int, int], list[Operation]] = defaultdict(list)
        for operation in self.operations:
            credential = operation.call.get("credential")
            if credential is not None:
                found[int(credential["incarnation"]), int(credential["token"])].append(operation)
        return found

    @cached_property
    def claims(self) -> list[tuple[Operation, dict[str, Any]]]:
        """Every claim that was acknowledged, with the operation whose answer has it."""
        return [(operation, claimed) for operation in self.operations for claimed in _claims_in(operation)]

    def named(self, head: Head) -> str:
        return f"{head.namespace}/{head.execution_id}@{int(head.incarnation)}"


def _parts_of(
    operation: Operation,
) -> Iterator[tuple[str, int | None, int | None, tuple[dict[str, Any], ...]]]:
    """Execution, incarnation, token and events of each part of a call under a key. A start names no incarnation yet."""
    call = operation.call
    if call.get("batch_id") is None:
        return
    for part in call.get("items", [call]):
        credential = part.get("credential") or {}
        incarnation = credential.get("incarnation") or part.get("incarnation")
        token = credential.get("token")
        yield (
            part["execution_id"],
            int(incarnation) if incarnation not in (None, "*") else None,
            None if token is None else int(token),
            tuple(part.get("events", ())),
        )


def _claims_in(operation: Operation) -> list[dict[str, Any]]:
    if operation.end != "ok" or operation.method not in ("claim", "claim_runnable", "acquire_if_parked"):
        return []
    items: list[dict[str, Any]] = operation.answer.get("items", [operation.answer])
    return items
