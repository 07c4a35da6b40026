"""Why an execution is not moving: its waits, its children, its owner, who polls its queue, its pins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from loom.ids import Instant
from loom.kernel.calls import Reason
from loom.kernel.heads import LIVE, Head, Pin, Status
from loom.kernel.limits import Limits, filling_of
from loom.kernel.parks import (
    ChildWait,
    Edge,
    GroupWait,
    MessageWait,
    Operator,
    OperatorWait,
    TimerWait,
    Wait,
    answer_from_children,
    children_of,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What is read beside the head: edges by key, its outbox rows, how many workers poll its queue for its workflow.

    `limits` are the store's.
    """

    edges: dict[str, Edge]
    outbox: int
    pollers: int
    pins: tuple[Pin, ...]
    limits: Limits
    now: Instant


def why(head: Head, around: Surroundings) -> tuple[Reason, ...]:
    """The causal chain as the event store knows it; the caller joins what timers knows."""
    match head.status:
        case Status.PARKED:
            found = _why_parked(head, around)
        case Status.PENDING | Status.RUNNING:
            found = _why_not_running(head, around)
        case _:
            found = iter((Reason(code=str(head.status), text=f"it {_was(head)}"),))
    return (*found, *_why_beside(head, around))


def _was(head: Head) -> str:
    return f"was deleted after it {head.ending}" if head.status is Status.DELETED else f"has ended: {head.status}"


def _why_parked(head: Head, around: Surroundings) -> Iterator[Reason]:
    if head.unknown_tail:
        yield Reason(code="unknown-tail", text="a newer server wrote its newest answer: upgrade this one")
    for wait in head.waits:
        yield from _why_waiting(wait, around)


def _why_waiting(wait: Wait, around: Surroundings) -> Iterator[Reason]:
    match wait:
        case TimerWait(timer=timer) if timer.wake_at is not None:
            left = timer.wake_at - around.now
            text = f"due in {left} ms" if left > 0 else f"overdue by {-left} ms: timers has not fired it yet"
            yield Reason(code="timer" if left > 0 else "timer-overdue", text=f"{wait.id}: a timer, {text}")
        case MessageWait(message=message):
            key = "" if message.key is None else f" with the key {message.key}"
            yield Reason(code="message", text=f"{wait.id}: a message {message.name}{key} that nobody has sent")
        case OperatorWait(operator=operator):
            yield Reason(code="blocked", text=_blocked(operator))
        case ChildWait() | GroupWait():
            yield from _why_waiting_for_children(wait, around)


def _blocked(why: Operator) -> str:
    compared = f" (expected {why.expected}, met {why.actual}, at {why.at})" if why.expected or why.actual else ""
    return f"blocked: {why.reason}{compared}; an operator's resume, cancel, fail or terminate answers it"


def _why_waiting_for_children(wait: ChildWait | GroupWait, around: Surroundings) -> Iterator[Reason]:
    if answer_from_children(wait, around.edges) is not None:
        yield Reason(
            code="satisfied", text=f"{wait.id}: its children have ended; the supervisor has not resumed it yet"
        )
        return
    keys = children_of(wait)
    open_edges = [around.edges[key] for key in keys if key in around.edges and not around.edges[key].ended]
    yield Reason(code="children", text=f"{wait.id}: {len(open_edges)} of {len(keys)} children have not ended")
    for edge in open_edges[:20]:
        yield Reason(code="child", text=f"{edge.child_key}: {edge.child.execution_id}", execution=edge.child)


def _why_not_running(head: Head, around: Surroundings) -> Iterator[Reason]:
    if head.single_writer:
        yield Reason(code="single-writer", text="started without a queue: whoever started it writes it")
    elif head.holds_lease(around.now):
        left = (head.lease_until or 0) - around.now
        yield Reason(code="owned", text=f"{head.owner} runs it under token {head.token.shown}, for another {left} ms")
    else:
        yield from _why_unclaimed(head, around)
    if head.cancel_seq is not None:
        yield Reason(code="cancel-requested", text=f"a cancel was requested (event {head.cancel_seq})")


def _why_unclaimed(head: Head, around: Surroundings) -> Iterator[Reason]:
    if head.owner is not None:
        yield Reason(code="lease-expired", text=f"the lease of {head.owner} has expired: anybody may claim it")
    if head.not_before is not None and head.not_before > around.now:
        left = head.not_before - around.now
        yield Reason(code="not-before", text=f"not claimable for {left} ms ({head.fruitless_claims} fruitless claims)")
    workflow = f"{head.workflow}@{head.code_version}"
    if around.pollers:
        yield Reason(code="runnable", text=f"runnable; {around.pollers} workers poll {head.queue} for {workflow}")
    else:
        yield Reason(code="no-worker", text=f"no worker polls the queue {head.queue} for {workflow}: start one")


def _why_beside(head: Head, around: Surroundings) -> Iterator[Reason]:
    if head.status in LIVE and (percent := filling_of(head.last_seq, around.limits)):
        held = f"{head.last_seq} of {around.limits.log_events} events, over {percent} percent"
        yield Reason(code="log-filling", text=f"its log holds {held}: continue as new, or start another execution")
    if around.outbox:
        yield Reason(code="outbox", text=f"{around.outbox} hints are not relayed yet")
    for pin in around.pins:
        yield Reason(code="pin", text=f"pinned by {pin.owner}: {pin.reason}")
