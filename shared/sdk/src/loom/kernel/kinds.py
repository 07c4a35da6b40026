"""The kinds of event, each stating whether it answers a park."""

from __future__ import annotations

from enum import StrEnum


class EventKind(StrEnum):
    """A kind of kernel event; a member without its statement fails at import.

    `answering`: the newest event of such a kind decides whether the execution is parked (I15).
    """

    answering: bool

    def __new__(cls, name: str, answering: bool) -> EventKind:
        kind = str.__new__(cls, name)
        kind._value_, kind.answering = name, answering
        return kind

    EXECUTION_STARTED = "EXECUTION_STARTED", False
    EXECUTION_SUSPENDED = "EXECUTION_SUSPENDED", True
    EXECUTION_RESUMED = "EXECUTION_RESUMED", True
    EXECUTION_COMPLETED = "EXECUTION_COMPLETED", True
    EXECUTION_FAILED = "EXECUTION_FAILED", True
    EXECUTION_CANCELLED = "EXECUTION_CANCELLED", True
    EXECUTION_CONTINUED = "EXECUTION_CONTINUED", True
    EXECUTION_CANCEL_REQUESTED = "EXECUTION_CANCEL_REQUESTED", False
    EXECUTION_DENIED = "EXECUTION_DENIED", False
    EXECUTION_MIGRATED = "EXECUTION_MIGRATED", False
    ANNOTATED = "ANNOTATED", False
    OUTCOME_RECORDED = "OUTCOME_RECORDED", False
    STEP_STARTED = "STEP_STARTED", False
    STEP_COMPLETED = "STEP_COMPLETED", False
    STEP_FAILED = "STEP_FAILED", False
    STEP_RETRIED = "STEP_RETRIED", False
    EFFECT_INTENT = "EFFECT_INTENT", False
    EFFECT_DONE = "EFFECT_DONE", False
    EFFECT_FAILED = "EFFECT_FAILED", False
    MESSAGE_CONSUMED = "MESSAGE_CONSUMED", False
    CHILD_STARTED = "CHILD_STARTED", False
    CHILD_OUTCOME = "CHILD_OUTCOME", False


TERMINAL_KINDS = frozenset(
    {
        EventKind.EXECUTION_COMPLETED,
        EventKind.EXECUTION_FAILED,
        EventKind.EXECUTION_CANCELLED,
        EventKind.EXECUTION_CONTINUED,
    }
)
AUDIT_KINDS = frozenset(
    {EventKind.EXECUTION_DENIED, EventKind.OUTCOME_RECORDED, EventKind.EXECUTION_MIGRATED, EventKind.ANNOTATED}
)
COMPLETING_KINDS = frozenset(
    {
        EventKind.STEP_COMPLETED,
        EventKind.STEP_FAILED,
        EventKind.EFFECT_DONE,
        EventKind.EFFECT_FAILED,
        EventKind.MESSAGE_CONSUMED,
        EventKind.CHILD_OUTCOME,
    }
)
"""Something came back from the claim, which is then not fruitless (I27)."""


_BY_NAME = {kind.value: kind for kind in EventKind}


def kind_of(kind: str) -> EventKind | None:
    """The kernel's kind of this name; None for an application's or a newer server's."""
    return _BY_NAME.get(kind)


def is_answering(kind: str, kernel: bool) -> bool:
    """Does an event of this kind answer a park? Unknown kinds do if, and only if, a server stamped them (I15)."""
    known = kind_of(kind)
    return known.answering if known else kernel is True
