"""Keys of rows, and a short way to ask a timer store."""

from __future__ import annotations

from loom.ids import ExecutionId, ExecutionRef, Incarnation, Namespace, Sequence
from loom.stores.timer_store import REDRIVE, WAKE, ClaimDue, ReadTimers, Timer, TimerKey, TimerStore

NAMESPACE = Namespace("shop")
ID = ExecutionId("a")
KINDS = (WAKE, REDRIVE)


def key_of(incarnation: int = 1, park_seq: int = 3, wait_id: str = "w", kind: str = WAKE, *, id: str = ID) -> TimerKey:
    """A whole key."""
    execution = ExecutionRef(namespace=NAMESPACE, execution_id=ExecutionId(id), incarnation=Incarnation(incarnation))
    return TimerKey.of(execution, Sequence(park_seq), wait_id, kind)


async def read(timers: TimerStore, id: str = ID) -> tuple[Timer, ...]:
    """The rows of an id."""
    return (await timers.read(ReadTimers(namespace=NAMESPACE, execution_id=ExecutionId(id)))).items


async def claim(
    timers: TimerStore, *, kinds: tuple[str, ...] = KINDS, limit: int = 100, by: str = "claim"
) -> list[Timer]:
    """Due rows, for ten seconds."""
    return list((await timers.claim_due(ClaimDue(kinds=kinds, claim=by, limit=limit, ttl_ms=10_000))).items)
