"""What a due row means: a wake is a resume of exactly its park and wait, a re-drive asks who can derive one."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from random import Random

from loom import tracing
from loom.errors import Contended, ExecutionGone, NotFound, NotParked, NotYet, ResumeContended
from loom.kernel.backoff import full_jitter_ms
from loom.kernel.calls import Resume
from loom.stores.event_store import EventStore
from loom.stores.timer_store import (
    REDRIVE,
    WAKE,
    ClaimDue,
    Defer,
    Redrive,
    Redriver,
    Retire,
    Schedule,
    Timer,
    TimerKey,
    TimerStore,
)
from loom_servicekit.counts import Count

log = logging.getLogger(__name__)

AT_ONCE = 32
CLAIM_MS = 30_000
ATTEMPTS_ALERT = 8  # tries after which somebody is told; the tries go on
NOT_YET_MS = 1_000  # where the store does not say when

EXHAUSTED = Count("loom.timers.redrive_exhausted", "Waits whose eighth try was contended too")


@dataclass(frozen=True, slots=True)
class Answered:
    """The park is answered now, by this."""


@dataclass(frozen=True, slots=True)
class Over:
    """There is nothing left to do for this row."""


@dataclass(frozen=True, slots=True)
class Later:
    """Its time, by the store's clock, is still so far away."""

    delay_ms: int


@dataclass(frozen=True, slots=True)
class Again:
    """Nothing is decided: try again, later each time."""


Verdict = Answered | Over | Later | Again


async def fire_wake(store: EventStore, key: TimerKey) -> Verdict:
    """Resume exactly this incarnation, park and wait. Raises a Contended that says nothing about this park."""
    try:
        await store.resume(
            Resume(
                namespace=key.namespace,
                execution_id=key.execution_id,
                incarnation=key.incarnation,
                park_seq=key.park_seq,
                wait=key.wait_id,
            )
        )
    except (NotParked, ExecutionGone, NotFound) as error:
        tracing.tell_refusal(error)
        return Over()
    except NotYet as error:
        tracing.tell_refusal(error)
        return Later(delay_ms=int(error.facts.get("retry_in_ms", NOT_YET_MS)))
    except ResumeContended as error:
        tracing.tell_refusal(error)
        return Again()
    tracing.tell(outcome="won")
    return Answered()


async def fire_redrive(redrivers: Sequence[Redriver], timer: Timer) -> Verdict:
    """Ask them in order; the first that is not noop decides, and one that raises is contended."""
    key = timer.key
    call = Redrive(execution=key.execution, park_seq=key.park_seq, wait_id=key.wait_id, attempt=timer.attempt)
    for redriver in redrivers:
        told = await _ask(redriver, call)
        tracing.tell(outcome=told)
        match told:
            case "done":
                return Answered()
            case "contended":
                return Again()
    return Over()


async def _ask(redriver: Redriver, call: Redrive) -> str:
    try:
        return (await redriver.redrive(call)).result
    except Exception as error:
        log.info("re-drive of %s at %d: %r", call.execution, call.park_seq, error)
        return "contended"


class Firing:
    """Takes due rows, judges each, and keeps, moves or retires exactly the row it judged (I33)."""

    def __init__(self, store: EventStore, timers: TimerStore, redrivers: Sequence[Redriver], rng: Random) -> None:
        self._store = store
        self._timers = timers
        self._redrivers = redrivers
        self._rng = rng
        self.kinds = (WAKE, REDRIVE) if redrivers else (WAKE,)

    async def step(self) -> int | None:
        """One round: at most AT_ONCE rows, side by side. Raises if the store could not be reached."""
        claim = secrets.token_hex(8)
        due = await self._timers.claim_due(ClaimDue(kinds=self.kinds, claim=claim, limit=AT_ONCE, ttl_ms=CLAIM_MS))
        outcomes = await asyncio.gather(*map(self._fire, due.items), return_exceptions=True)
        for failure in filter(None, outcomes):
            raise failure
        return 0 if len(due.items) == AT_ONCE else None

    async def again(self, key: TimerKey, attempt: int, traceparent: str | None) -> None:
        """Write the next attempt, with full jitter; nothing is retired (I34). The eighth alerts, once."""
        delay_ms = full_jitter_ms(attempt, self._rng)
        schedule = Schedule(key=key, attempt=attempt, delay_ms=delay_ms, traceparent=traceparent)
        scheduled = await self._timers.schedule(schedule)
        if scheduled.advanced and attempt == ATTEMPTS_ALERT:
            EXHAUSTED.add(kind=key.kind)
            log.error("RedriveExhausted: %d tries of %r were contended; it is tried on", attempt, key)

    async def _fire(self, timer: Timer) -> None:
        try:
            await self._settle(timer, await self._judge(timer))
        except Contended:
            await self._defer(timer, full_jitter_ms(timer.attempt + 1, self._rng))
            raise

    async def _judge(self, timer: Timer) -> Verdict:
        try:
            with _span_of(timer):
                if timer.key.kind == REDRIVE:
                    return await fire_redrive(self._redrivers, timer)
                return await fire_wake(self._store, timer.key)
        except Contended:
            raise
        except Exception:
            log.exception("%r could not be judged; it is tried again", timer.key)
            return Again()

    async def _settle(self, timer: Timer, verdict: Verdict) -> None:
        match verdict:
            case Answered() | Over():
                await self._timers.retire(Retire(key=timer.key, claim=timer.claim))
            case Later(delay_ms=delay_ms):
                await self._defer(timer, delay_ms)
            case Again():
                await self.again(timer.key, timer.attempt + 1, timer.traceparent)

    async def _defer(self, timer: Timer, delay_ms: int) -> None:
        assert timer.claim is not None, "only claimed rows are fired"
        await self._timers.defer(Defer(key=timer.key, claim=timer.claim, delay_ms=delay_ms))


def _span_of(timer: Timer) -> AbstractContextManager[object]:
    """In the trace of the park, if that is young: by this store's clock, read off the claim."""
    assert timer.claimed_until is not None, "only claimed rows are fired"
    key, age_ms = timer.key, timer.claimed_until - CLAIM_MS - timer.made_at
    if key.kind == REDRIVE:
        return tracing.redrive_attempt(
            key.execution, key.park_seq, timer.traceparent, attempt=timer.attempt, age_ms=age_ms
        )
    return tracing.timer_fire(key.execution, key.park_seq, timer.traceparent, age_ms=age_ms)
