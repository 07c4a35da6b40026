"""Every topic: its name, its message, by what it is keyed, who writes it and who reads it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from loom.ids import Incarnation
from loom.kernel.hints import ChildDone, ExecutionParked, Hint, NotifyResume

ServiceName = Literal["event-store", "supervisor", "timers", "retention"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter:
    """A hint that a handler gave up on. Harmless: what it was about is found by a sweep."""

    hint: Hint
    group: str | None
    error: str
    attempts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """`readers` share its messages as a group each; `tails` are services of which every replica reads all of it."""

    name: str
    message: type[Hint] | type[DeadLetter]
    keyed_by: Literal["parent", "execution", "original key"]
    writers: tuple[ServiceName, ...]
    readers: tuple[ServiceName, ...] = ()
    tails: tuple[ServiceName, ...] = ()


TOPICS: tuple[Topic, ...] = (
    Topic(
        name=ChildDone.TOPIC,
        message=ChildDone,
        keyed_by="parent",
        writers=("event-store",),
        readers=("supervisor",),
    ),
    Topic(
        name=ExecutionParked.TOPIC,
        message=ExecutionParked,
        keyed_by="execution",
        writers=("event-store",),
        readers=("supervisor", "timers"),
    ),
    Topic(
        name=NotifyResume.TOPIC,
        message=NotifyResume,
        keyed_by="execution",
        writers=("event-store",),
        tails=("event-store",),
    ),
    Topic(
        name="loom.dead-letter.v1",
        message=DeadLetter,
        keyed_by="original key",
        writers=("supervisor", "timers"),
    ),
)


def addressee(hint: Hint) -> tuple[str, Incarnation]:
    """Whom the hint is about: what a lane keeps in order and coalesces by. A child's end is about its parent."""
    return hint.key, hint.parent_incarnation if isinstance(hint, ChildDone) else hint.incarnation
