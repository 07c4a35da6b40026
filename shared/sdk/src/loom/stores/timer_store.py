"""The timer store's port: rows that say when to try what, and a body of it in memory.

A row is a hint, derived from a park and keyed by it; lose it, and a sweep finds the park (I32). Instants here are on
this store's own clock; whether something may fire is judged by the event store's (I36).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, Protocol

from loom.clock import Clock
from loom.ids import ExecutionId, ExecutionRef, Incarnation, Instant, Namespace, Sequence, answer, noun

WAKE = "wake"  # resume exactly this park by exactly this timer wait
REDRIVE = "redrive"  # ask the re-drivers to derive a contended resume again


@noun
class TimerKey:
    """What a row is about, whole: two rows that differ in any member are two rows (I33).

    `kind` is wake, redrive, or one of a newer server, which this one leaves alone.
    """

    namespace: Namespace
    execution_id: ExecutionId
    incarnation: Incarnation
    park_seq: Sequence
    wait_id: str
    kind: str

    @property
    def execution(self) -> ExecutionRef:
        return ExecutionRef(namespace=self.namespace, execution_id=self.execution_id, incarnation=self.incarnation)

    @classmethod
    def of(cls, execution: ExecutionRef, park_seq: Sequence, wait_id: str, kind: str) -> TimerKey:
        return cls(
            namespace=execution.namespace,
            execution_id=execution.execution_id,
            incarnation=execution.incarnation,
            park_seq=park_seq,
            wait_id=wait_id,
            kind=kind,
        )


@noun
class Schedule:
    """Make a row or advance it. Due at `wake_at`, or `delay_ms` from now on this store's clock; one of the two.

    `traceparent`: where the park stands in a trace, so that the fire can go on there or link to it.
    """

    key: TimerKey
    attempt: int = 0
    wake_at: Instant | None = None
    delay_ms: int | None = None
    traceparent: str | None = None


@answer
class Scheduled:
    """`advanced` false: the row was there with this attempt or a greater one, and stays as it is."""

    advanced: bool


@noun
class Retire:
    """Remove the row of exactly this key; with `claim`, only while that claim holds it."""

    key: TimerKey
    claim: str | None = None


@answer
class Retired:
    retired: bool


@noun
class ReadTimers:
    """The rows of an execution id, of every incarnation."""

    namespace: Namespace
    execution_id: ExecutionId


@answer
class Timer:
    """A row. `attempt`: how many tries were contended. While `claimed_until` lies ahead, somebody is at it.

    `made_at`: when it was first written, whatever advanced it since; 0 where that is not known.
    """

    key: TimerKey
    wake_at: Instant
    attempt: int
    claim: str | None = None
    claimed_until: Instant | None = None
    traceparent: str | None = None
    made_at: Instant = Instant(0)


@answer
class Timers:
    """In order of `wake_at`."""

    items: tuple[Timer, ...]


@noun
class ClaimDue:
    """Take up to `limit` rows of these kinds that are due and unclaimed, earliest first, until `ttl_ms` from now.

    Rows of other kinds are no candidates at all, so however many there are, they starve nobody (I35).
    """

    kinds: tuple[str, ...]
    claim: str
    limit: int
    ttl_ms: int


@noun
class Defer:
    """Due again `delay_ms` from now and free; the attempt stays. Only while `claim` holds the row."""

    key: TimerKey
    claim: str
    delay_ms: int


@noun
class RetirePassed:
    """Remove what an execution's parks below `park_seq` left, and every row of other incarnations under its id."""

    execution: ExecutionRef
    park_seq: Sequence


class TimerRows(Protocol):
    """What every service may do, over REST too. Idempotent, all of it."""

    async def schedule(self, call: Schedule) -> Scheduled:
        """Attempts never fall: a smaller or equal one changes nothing (I34). What advances is free and due anew."""

    async def retire(self, call: Retire) -> Retired: ...

    async def read(self, call: ReadTimers) -> Timers: ...


class TimerStore(TimerRows, Protocol):
    """What the timers service itself needs besides."""

    async def claim_due(self, call: ClaimDue) -> Timers: ...

    async def defer(self, call: Defer) -> None: ...

    async def retire_passed(self, call: RetirePassed) -> int:
        """How many rows went."""


@noun
class Redrive:
    """Please derive this contended resume again."""

    execution: ExecutionRef
    park_seq: Sequence
    wait_id: str
    attempt: int


Outcome = Literal["done", "noop", "contended"]


@answer
class Redriven:
    """done: the park is answered now. noop: nothing to do here. contended: try again later."""

    result: Outcome


class Redriver(Protocol):
    """Who can derive a resume again; one that raises counts as contended."""

    async def redrive(self, call: Redrive) -> Redriven: ...


class MemoryTimerStore:
    """In a dict: the tests' store, and the oracle of the others."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._rows: dict[TimerKey, Timer] = {}

    async def schedule(self, call: Schedule) -> Scheduled:
        row = self._rows.get(call.key)
        if row is not None and row.attempt >= call.attempt:
            return Scheduled(advanced=False)
        wake_at = self._after(call.delay_ms or 0) if call.wake_at is None else call.wake_at
        self._rows[call.key] = Timer(
            key=call.key,
            wake_at=wake_at,
            attempt=call.attempt,
            traceparent=call.traceparent,
            made_at=self._after(0) if row is None else row.made_at,
        )
        return Scheduled(advanced=True)

    async def claim_due(self, call: ClaimDue) -> Timers:
        now = self._clock.now()
        due = [row for row in self._sorted() if is_due(row, now) and row.key.kind in call.kinds][: call.limit]
        claimed = [replace(row, claim=call.claim, claimed_until=self._after(call.ttl_ms)) for row in due]
        self._rows.update({row.key: row for row in claimed})
        return Timers(items=tuple(claimed))

    async def defer(self, call: Defer) -> None:
        row = self._rows.get(call.key)
        if row is not None and row.claim == call.claim:
            self._rows[call.key] = replace(row, wake_at=self._after(call.delay_ms), claim=None, claimed_until=None)

    async def retire(self, call: Retire) -> Retired:
        row = self._rows.get(call.key)
        if row is None or call.claim not in (None, row.claim):
            return Retired(retired=False)
        del self._rows[call.key]
        return Retired(retired=True)

    async def retire_passed(self, call: RetirePassed) -> int:
        passed = [key for key in self._rows if is_passed(key, call)]
        for key in passed:
            del self._rows[key]
        return len(passed)

    async def read(self, call: ReadTimers) -> Timers:
        named = (call.namespace, call.execution_id)
        return Timers(items=tuple(row for row in self._sorted() if (row.key.namespace, row.key.execution_id) == named))

    def _after(self, ms: int) -> Instant:
        return Instant(self._clock.now() + ms)

    def _sorted(self) -> list[Timer]:
        return sorted(self._rows.values(), key=lambda row: row.wake_at)


def is_due(row: Timer, now: Instant) -> bool:
    """Its time has come, and nobody's live claim is on it."""
    return row.wake_at <= now and (row.claimed_until is None or row.claimed_until <= now)


def is_passed(key: TimerKey, call: RetirePassed) -> bool:
    """Is the row of a smaller park, or of another incarnation, of the execution's id?"""
    execution = call.execution
    if (key.namespace, key.execution_id) != (execution.namespace, execution.execution_id):
        return False
    return key.incarnation != execution.incarnation or key.park_seq < call.park_seq
