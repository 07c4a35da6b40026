"""The events that a worker words: what it writes into a log and `loom.worker.replay` reads from it."""

from __future__ import annotations

from typing import Any

from loom.ids import Instant
from loom.kernel.events import NewEvent
from loom.kernel.kinds import EventKind
from loom.kernel.raw_json import RawJson, encode
from loom.worker.commands import Command, Emit


def step_started(command: Command) -> NewEvent:
    """The command is about to have effects."""
    return _event(EventKind.STEP_STARTED, command, digest=command.digest)


def sleep_started(command: Command, wake_at: Instant) -> NewEvent:
    """The sleep will end at that instant, on whatever machine."""
    return _event(EventKind.STEP_STARTED, command, wake_at=wake_at)


def emitted(command: Command, at: Instant) -> tuple[NewEvent, NewEvent]:
    """The application's event, and that the command is done."""
    assert isinstance(command.request, Emit)
    done = _event(EventKind.STEP_COMPLETED, command, digest=command.digest, at=at)
    return NewEvent(kind=command.request.kind, payload=command.request.payload), done


def completed(command: Command, at: Instant, result: RawJson | None = None) -> NewEvent:
    """The command ended with a result, or with nothing to tell."""
    told = {} if result is None else {"result": result}
    return _event(EventKind.STEP_COMPLETED, command, **told, at=at)


def failed(command: Command, failure: dict[str, Any], at: Instant) -> NewEvent:
    """The command gave up."""
    return _event(EventKind.STEP_FAILED, command, failure=failure, at=at)


def retried(command: Command, attempt: int, failure: dict[str, Any], at: Instant, retry_at: Instant) -> NewEvent:
    """Attempt number `attempt` failed; there will be another."""
    return _event(EventKind.STEP_RETRIED, command, attempt=attempt, failure=failure, at=at, retry_at=retry_at)


def message_consumed(command: Command, message_id: str) -> NewEvent:
    """This message of the inbox is for that wait."""
    return NewEvent(kind=EventKind.MESSAGE_CONSUMED, message_id=message_id, wait=command.id)


def outcome_consumed(wait: str, child_key: str) -> NewEvent:
    """The child's end is for that wait."""
    return NewEvent(kind=EventKind.CHILD_OUTCOME, child_key=child_key, wait=wait)


def _event(kind: EventKind, command: Command, **members: Any) -> NewEvent:
    return NewEvent(kind=kind, payload=encode({"command": command.id, "type": command.request.TYPE, **members}))
