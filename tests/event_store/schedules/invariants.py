"""What must be true of an execution's rows after any schedule, whatever the oracle says (invariants.md)."""

from __future__ import annotations

from collections.abc import Iterator

from event_store.schedules.tables import Tables
from kernel.scripts import check_log
from loom.ids import Token
from loom.kernel.events import Event
from loom.kernel.execution import fold, why_drifted
from loom.kernel.heads import ENDED, Head, Status


def why_broken(before: Tables, after: Tables) -> str | None:
    """The first invariant that the rows break, or None."""
    return next(_broken(before, after), None)


def _broken(before: Tables, after: Tables) -> Iterator[str]:
    tokens = {(head.execution_id, head.link): head.token for head in before.heads.values()}
    for number, head in after.heads.items():
        log = after.events[number]
        if head.token < tokens.get((head.execution_id, head.link), Token(0)):
            yield f"I19: the token of {head.execution_id} decreased"
        if head.status is Status.DELETED:
            if log:
                yield f"I46: the tombstone {head.execution_id} has events"
            continue
        yield from _broken_log(head, log)
        yield from _broken_mail(head, log, after)
        yield from _broken_grants(head, log, after)
    yield from _broken_edges(after)


def _broken_log(head: Head, log: list[Event]) -> Iterator[str]:
    if [event.seq for event in log] != list(range(1, head.last_seq + 1)):
        yield f"I1: the sequences of {head.execution_id} have a gap"
    drifted = why_drifted(head, fold(log))
    if drifted:
        yield f"I8: of {head.execution_id}, {drifted}"
    try:
        check_log(log)
    except AssertionError as error:
        yield f"{str(error).splitlines()[0]} in {head.execution_id}"


def _broken_mail(head: Head, log: list[Event], after: Tables) -> Iterator[str]:
    consumed = sorted(mail.consumed_at_seq for mail in after.inbox[head.head] if mail.consumed_at_seq is not None)
    if consumed != [event.seq for event in log if event.kind == "MESSAGE_CONSUMED"]:
        yield f"I16: the consumed messages of {head.execution_id} are not its log's"
    numbers = [mail.inbox_seq for mail in after.inbox[head.head]]
    if len(numbers) != len(set(numbers)):
        yield f"I16: two messages of {head.execution_id} have one number"


_BUMPS = frozenset(
    {"EXECUTION_RESUMED", "EXECUTION_CANCELLED", "EXECUTION_FAILED", "MESSAGE_CONSUMED", "CHILD_OUTCOME"}
)


def _broken_grants(head: Head, log: list[Event], after: Tables) -> Iterator[str]:
    """Every fence was given by a recorded grant, or begins with an event that bumps."""
    granted = {grant.token for grant in after.grants[head.head]}
    fence = log[0].fence if log else Token(0)
    for event in log:
        if event.fence != fence and event.fence not in granted and event.kind not in _BUMPS:
            yield f"I19: nobody was given the fence of {event.kind} in {head.execution_id}"
        fence = event.fence
    if len(granted) != len(after.grants[head.head]):
        yield f"I20: one token of {head.execution_id} was granted twice"


def _broken_edges(after: Tables) -> Iterator[str]:
    for edge in after.edges:
        child = after.head_of(edge.child.incarnation)
        parent = after.head_of(edge.parent.incarnation)
        if child is not None and child.status is not Status.DELETED:
            ended = child.status in ENDED and child.status is not Status.CONTINUED
            if ended != edge.ended:
                yield f"I41: the edge {edge.child_key} is {edge.status}, its child {child.status}"
        if parent is None or edge.consumed_at_seq is None:
            continue
        event = next((event for event in after.events[parent.head] if event.seq == edge.consumed_at_seq), None)
        if event is None or event.kind != "CHILD_OUTCOME":
            yield f"I17: the edge {edge.child_key} is consumed by no event"
