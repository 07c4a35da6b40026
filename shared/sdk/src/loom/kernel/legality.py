"""The one table of legality: which kind, by which writer, in which status (I7). Every body and the kit use it."""

from __future__ import annotations

from enum import StrEnum

from loom.errors import IllegalTransition
from loom.kernel.heads import ENDED, LIVE, Head, Status
from loom.kernel.kinds import AUDIT_KINDS, EventKind, kind_of


class Writer(StrEnum):
    """Who writes an event."""

    OWNER = "owner"  # a live grant, running
    PARKER = "parker"  # the grant that parked, until its lease ends
    ACQUIRER = "acquirer"  # an acquire-if-parked grant
    SINGLE = "single-writer"  # nobody's grant: started without a queue, never claimed
    AUDITOR = "auditor"  # the audit call
    STORE = "store"  # part of another call: start, park, resume, send, cancel, claim
    OPERATOR = "operator"  # terminate, fail


_RUNNING = frozenset({Status.RUNNING})
_PARKED = frozenset({Status.PARKED})
_STARTED = frozenset({Status.PENDING, Status.RUNNING})
_ANY = LIVE | ENDED

_WORK = {Writer.OWNER: _RUNNING, Writer.PARKER: _PARKED, Writer.SINGLE: LIVE}
_OWN = {Writer.OWNER: _RUNNING, Writer.SINGLE: _STARTED}
_CONSUMING = {**_OWN, Writer.STORE: _PARKED}

LEGAL: dict[EventKind | None, dict[Writer, frozenset[Status]]] = {
    None: _WORK,  # application events, and unknown kinds without a stamp
    EventKind.EXECUTION_STARTED: {},  # sequence 1 of start only
    EventKind.EXECUTION_SUSPENDED: {**_OWN, Writer.STORE: _STARTED},
    EventKind.EXECUTION_RESUMED: {Writer.ACQUIRER: _PARKED, Writer.STORE: _PARKED},
    EventKind.EXECUTION_COMPLETED: _OWN,
    EventKind.EXECUTION_FAILED: {**_OWN, Writer.OPERATOR: LIVE},
    EventKind.EXECUTION_CANCELLED: {**_OWN, Writer.OPERATOR: LIVE, Writer.STORE: frozenset({Status.PENDING})},
    EventKind.EXECUTION_CONTINUED: _OWN,
    EventKind.EXECUTION_CANCEL_REQUESTED: {Writer.STORE: LIVE},
    EventKind.EXECUTION_DENIED: {Writer.AUDITOR: _ANY},
    EventKind.EXECUTION_MIGRATED: {Writer.AUDITOR: _ANY},
    EventKind.ANNOTATED: {Writer.AUDITOR: _ANY},
    EventKind.OUTCOME_RECORDED: {Writer.AUDITOR: ENDED},
    EventKind.STEP_STARTED: _WORK,
    EventKind.STEP_COMPLETED: _WORK,
    EventKind.STEP_FAILED: _WORK,
    EventKind.STEP_RETRIED: _WORK,
    EventKind.EFFECT_INTENT: _WORK,
    EventKind.EFFECT_DONE: _WORK,
    EventKind.EFFECT_FAILED: _WORK,
    EventKind.MESSAGE_CONSUMED: _CONSUMING,
    EventKind.CHILD_STARTED: _OWN,
    EventKind.CHILD_OUTCOME: _CONSUMING,
}

CALL_OF: dict[EventKind, str] = {
    EventKind.EXECUTION_STARTED: "start",
    EventKind.EXECUTION_SUSPENDED: "park",
    EventKind.EXECUTION_RESUMED: "resume",
    EventKind.EXECUTION_CONTINUED: "continue_as_new",
    EventKind.EXECUTION_CANCEL_REQUESTED: "cancel",
    EventKind.CHILD_STARTED: "start_child` or `attach",
    **dict.fromkeys(sorted(AUDIT_KINDS), "append_if_unchanged"),
}
"""Kinds that `append` does not take, and the call that writes them."""


def is_legal(kind: str, writer: Writer, status: Status) -> bool:
    """The cell of the table."""
    return status in LEGAL[kind_of(kind)].get(writer, frozenset())


def check_legal(kind: str, writer: Writer, head: Head) -> None:
    """Raises IllegalTransition, naming kind, writer and status."""
    if not is_legal(kind, writer, head.status):
        raise IllegalTransition(
            f"{kind} by the {writer} is not legal while {head.shown}", kind=kind, writer=str(writer), state=head.shown
        )


def check_appendable(kind: str) -> None:
    """Raises IllegalTransition for a kind that another call writes."""
    known = kind_of(kind)
    if known in CALL_OF:
        raise IllegalTransition(f"{kind} is written by `{CALL_OF[known]}`, not by append", kind=kind)


missing = set(EventKind) - LEGAL.keys()
if missing:
    raise TypeError(f"kinds without a row of legality: {sorted(missing)}")
