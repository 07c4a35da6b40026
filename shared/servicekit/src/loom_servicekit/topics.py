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


DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """`readers` share its messages as a group each; `tails` are services of which every replica reads all of it.

    `partitions`: of the largest fleet, from the first day on, since more of them would move keys. `retention_ms`:
    longer than the longest outage of a reader that is to be survived. `bytes_max`: the longest record.
    """

    name: str
    message: type[Hint] | type[DeadLetter]
    keyed_by: Literal["parent", "execution", "original key"]
    writers: tuple[ServiceName, ...]
    readers: tuple[ServiceName, ...] = ()
    tails: tuple[ServiceName, ...] = ()
    partitions: int = 24
    replication: int = 3
    retention_ms: int = 7 * DAY_MS
    cleanup: Literal["delete"] = "delete"
    bytes_max: int = 1_048_588  # the default of a broker

    @property
    def in_sync_min(self) -> int:
        """How many replicas must have a record before it counts as written."""
        return max(1, self.replication - 1)

    def is_used_by(self, service: ServiceName) -> bool:
        return service in {*self.writers, *self.readers, *self.tails}


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
        retention_ms=DAY_MS,
    ),
    Topic(
        name="loom.dead-letter.v1",
        message=DeadLetter,
        keyed_by="original key",
        writers=("supervisor", "timers"),
        partitions=3,
        retention_ms=30 * DAY_MS,
        bytes_max=2 << 20,  # whatever another topic took, and the headers that say why it is here
    ),
)

DEAD_LETTERS = TOPICS[-1]


def group_of(service: ServiceName) -> str:
    """The consumers of a service share what they read."""
    return f"loom-{service}"


def addressee(hint: Hint) -> tuple[str, Incarnation]:
    """Whom the hint is about: what a lane keeps in order and coalesces by. A child's end is about its parent."""
    return hint.key, hint.parent_incarnation if isinstance(hint, ChildDone) else hint.incarnation
