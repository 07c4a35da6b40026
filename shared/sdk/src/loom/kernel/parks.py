"""Parks and their waits: what an execution waits for, and when that is there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from loom.ids import ExecutionRef, Instant, Sequence, answer, noun
from loom.kernel.events import Event
from loom.kernel.kinds import EventKind, is_answering
from loom.kernel.raw_json import RawJson


@noun
class Timer:
    """Until an instant, or for a while that the store counts on its own clock from the park (I36). One of the two."""

    wake_at: Instant | None = None
    delay_ms: int | None = None


@noun
class Child:
    """Until the child under this key has ended."""

    key: str


@noun
class Group:
    """Until a rule over several children is met (I40). `policy`: all, any, or how many must complete.

    With `on_error` raise the first member that ended without completing meets `all`. With `keep` the answer does not
    release the other members.
    """

    members: tuple[str, ...]
    policy: Literal["all", "any"] | int = "all"
    on_error: Literal["raise", "collect"] = "raise"
    keep: bool = False


@noun
class Message:
    """Until a message of this name arrives; `key` None takes any key."""

    name: str
    key: str | None = None


@noun
class Operator:
    """Until an operator answers: the execution is *blocked*."""

    reason: str
    expected: str | None = None
    actual: str | None = None
    at: str | None = None


@noun
class TimerWait:
    id: str
    timer: Timer


@noun
class ChildWait:
    id: str
    child: Child


@noun
class GroupWait:
    id: str
    group: Group


@noun
class MessageWait:
    id: str
    message: Message


@noun
class OperatorWait:
    id: str
    operator: Operator


Wait = TimerWait | ChildWait | GroupWait | MessageWait | OperatorWait

EdgeStatus = Literal["open", "completed", "failed", "cancelled", "removed"]


@answer
class Edge:
    """Parent to child. `outcome` is the payload of the child's end; `consumed_at_seq` where the parent's log has it."""

    parent: ExecutionRef
    child_key: str
    child: ExecutionRef
    status: EdgeStatus = "open"
    outcome: RawJson | None = None
    close: Literal["terminate", "cancel", "abandon"] = "cancel"
    scope: Literal["run", "chain"] = "chain"
    released: bool = False
    consumed_at_seq: Sequence | None = None

    @property
    def ended(self) -> bool:
        return self.status != "open"


@answer
class Answer:
    """What a resume names: the wait, and for children the keys whose outcomes the store is to copy."""

    wait: str
    keys: tuple[str, ...] = ()


def wait_from(form: Mapping[str, Any]) -> Wait:
    """The wait that a park event holds in its JSON form."""
    match form:
        case {"id": str(id), "timer": timer}:
            return TimerWait(id=id, timer=Timer(**timer))
        case {"id": str(id), "child": child}:
            return ChildWait(id=id, child=Child(**child))
        case {"id": str(id), "group": group}:
            return GroupWait(id=id, group=Group(**{**group, "members": tuple(group["members"])}))
        case {"id": str(id), "message": message}:
            return MessageWait(id=id, message=Message(**message))
        case {"id": str(id), "operator": operator}:
            return OperatorWait(id=id, operator=Operator(**operator))
    raise ValueError(f"not a wait: {form!r}")


def waits_from(form: Iterable[Mapping[str, Any]]) -> tuple[Wait, ...]:
    """The waits of a park, from the JSON form that heads and SUSPENDED events hold."""
    return tuple(map(wait_from, form))


def locate_park(events: Iterable[Event]) -> Event | None:
    """The open park: the newest answering event, if it is a SUSPENDED. A newer server's answer means none is known."""
    for event in sorted(events, key=lambda event: event.seq, reverse=True):
        if is_answering(event.kind, event.kernel):
            return event if event.kind == EventKind.EXECUTION_SUSPENDED else None
    return None


def children_of(wait: Wait) -> tuple[str, ...]:
    """The keys of the children that `wait` is about."""
    match wait:
        case ChildWait(child=child):
            return (child.key,)
        case GroupWait(group=group):
            return group.members
    return ()


def why_unsatisfiable(wait: Wait) -> str | None:
    """Why nothing outside could ever satisfy `wait`, or None."""
    match wait:
        case GroupWait(group=group):
            return _why_group_unsatisfiable(group)
        case TimerWait(timer=timer) if (timer.wake_at is None) == (timer.delay_ms is None):
            return "a timer names either wake_at or delay_ms"
    return None


def _why_group_unsatisfiable(group: Group) -> str | None:
    if not group.members:
        return "a group needs members"
    if len(set(group.members)) < len(group.members):
        return "a group's members must be distinct"
    if isinstance(group.policy, int) and not 1 <= group.policy <= len(group.members):
        return f"{group.policy} of {len(group.members)} members can never complete"
    return None


def answer_from_children(wait: Wait, edges: Mapping[str, Edge]) -> Answer | None:
    """The answer that the children's ends allow now, naming every unconsumed member that has ended; None: not yet.

    `edges` maps child keys to edges. Only for child and group waits; a consumed edge counts as ended and is not named.
    """
    keys = children_of(wait)
    if not keys:
        return None
    ended = [key for key in keys if key in edges and edges[key].ended]
    met = len(ended) == 1 if isinstance(wait, ChildWait) else is_group_met(_group(wait), edges, ended)
    return Answer(wait=wait.id, keys=tuple(key for key in ended if edges[key].consumed_at_seq is None)) if met else None


def is_group_met(group: Group, edges: Mapping[str, Edge], ended: Iterable[str]) -> bool:
    """Is the rule met when just the members `ended` have? Failed, cancelled, removed ones have not completed."""
    ended = set(ended)
    completed = sum(edges[key].status == "completed" for key in ended)
    open_members = len(group.members) - len(ended)
    if group.policy == "all":
        return not open_members or (group.on_error == "raise" and completed < len(ended))
    needed = 1 if group.policy == "any" else group.policy
    return completed >= needed or completed + open_members < needed


def _group(wait: Wait) -> Group:
    assert isinstance(wait, GroupWait)
    return wait.group


def earliest_wake(waits: Iterable[Wait]) -> Instant | None:
    """The earliest deadline of a park's timers."""
    instants = [wait.timer.wake_at for wait in waits if isinstance(wait, TimerWait) and wait.timer.wake_at is not None]
    return min(instants, default=None)


def message_wait(waits: Iterable[Wait], name: str, key: str | None) -> MessageWait | None:
    """The first wait that a message of this name and key satisfies."""
    for wait in waits:
        if isinstance(wait, MessageWait) and wait.message.name == name and wait.message.key in (None, key):
            return wait
    return None
