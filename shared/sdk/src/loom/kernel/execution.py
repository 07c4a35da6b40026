"""The fold: what a log says of its execution. It must equal the head (I8)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

from loom.ids import Sequence, Token, answer
from loom.kernel.events import Event
from loom.kernel.heads import Head, Status
from loom.kernel.kinds import EventKind, is_answering, kind_of
from loom.kernel.parks import Wait, earliest_wake, waits_from
from loom.kernel.requests import request_in

_ENDS = {
    EventKind.EXECUTION_COMPLETED: Status.COMPLETED,
    EventKind.EXECUTION_FAILED: Status.FAILED,
    EventKind.EXECUTION_CANCELLED: Status.CANCELLED,
    EventKind.EXECUTION_CONTINUED: Status.CONTINUED,
}


@answer
class Execution:
    """What the log alone says. `status` running stands for pending too: a claim appends nothing."""

    status: Status = Status.RUNNING
    last_seq: Sequence = Sequence(0)
    last_position: int | None = None
    park_seq: Sequence | None = None
    waits: tuple[Wait, ...] = ()
    unknown_tail: bool = False
    cancel_seq: Sequence | None = None
    greatest_fence: Token = Token(0)


def fold(events: Iterable[Event]) -> Execution:
    """The log's events, in sequence order, into what they say."""
    execution = Execution()
    for event in events:
        execution = _folded(execution, event)
    return execution


def _folded(before: Execution, event: Event) -> Execution:
    execution = replace(
        before,
        last_seq=event.seq,
        last_position=before.last_position if event.position is None else event.position,
        greatest_fence=max(before.greatest_fence, event.fence),
    )
    if request_in(event) is not None:
        return replace(execution, cancel_seq=event.seq)
    if not is_answering(event.kind, event.kernel):
        return execution
    if event.kind == EventKind.EXECUTION_SUSPENDED:
        waits = waits_from(json.loads(event.payload)["waits"])
        return replace(execution, status=Status.PARKED, park_seq=event.seq, waits=waits, unknown_tail=False)
    kind = kind_of(event.kind)
    if kind is None:
        return replace(execution, park_seq=None, unknown_tail=True)
    return replace(execution, status=_ENDS.get(kind, Status.RUNNING), park_seq=None, waits=(), unknown_tail=False)


def why_drifted(head: Head, execution: Execution) -> str | None:
    """The first field in which the head is not the fold of its log, or None."""
    status = Status.RUNNING if head.status is Status.PENDING else head.status
    pairs = {
        "status": (status, execution.status),
        "last_seq": (head.last_seq, execution.last_seq),
        "last_position": (head.last_position, execution.last_position),
        "park_seq": (head.park_seq, execution.park_seq),
        "waits": (head.waits, execution.waits),
        "wake_at": (head.wake_at, earliest_wake(execution.waits)),
        "unknown_tail": (head.unknown_tail, execution.unknown_tail),
        "cancel_seq": (head.cancel_seq, execution.cancel_seq),
    }
    for name, (stored, folded) in pairs.items():
        if stored != folded:
            return f"{name} is {stored}, the log says {folded}"
    return None if head.token >= execution.greatest_fence else "the token is below a fence of the log"
