"""With what number the command ends: one table, the same for every command that reports on an execution."""

from __future__ import annotations

from enum import IntEnum

from loom.errors import ExecutionGone, Invalid, LoomError, NotFound, StoreUnavailable
from loom.kernel.heads import Status


class Exit(IntEnum):
    """`meaning` stands in `loom --help` and in the documents. A command that only acts ends with 0 when it acted."""

    meaning: str

    def __new__(cls, number: int, meaning: str) -> Exit:
        code = int.__new__(cls, number)
        code._value_, code.meaning = number, meaning
        return code

    COMPLETED = 0, "completed, still on its way, or done as asked"
    FAILED = 1, "failed, or refused"
    USAGE = 2, "usage: the command or the request is malformed"
    CANCELLED = 3, "cancelled"
    TERMINATED = 4, "terminated"
    BLOCKED = 5, "blocked until an operator decides"
    NOT_FOUND = 6, "not found, or deleted"
    UNREACHABLE = 7, "the server cannot be reached"
    TIMED_OUT = 8, "the time given to wait has passed"


def exit_of_error(error: LoomError) -> Exit:
    """What a store's no means for the caller of the command."""
    match error:
        case NotFound() | ExecutionGone():
            return Exit.NOT_FOUND
        case StoreUnavailable():
            return Exit.UNREACHABLE
        case Invalid():
            return Exit.USAGE
    return Exit.FAILED


def exit_of_status(shown: str, cancelled_by: str | None = None) -> Exit:
    """What the status shown says. `cancelled_by`: the `by` of EXECUTION_CANCELLED."""
    if shown == "blocked":
        return Exit.BLOCKED
    if shown == Status.FAILED:
        return Exit.FAILED
    if shown == Status.CANCELLED:
        return Exit.TERMINATED if cancelled_by in ("terminate", "deadline") else Exit.CANCELLED
    return Exit.NOT_FOUND if shown == Status.DELETED else Exit.COMPLETED
