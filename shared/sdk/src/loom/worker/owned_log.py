"""The log of an execution in the hands of one grant: every write of the grant goes through here."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Iterable, Sequence
from random import Random
from typing import TypeVar

from loom import tracing
from loom.errors import Contended, Forbidden, Invalid, LimitReached, OwnershipLost, Superseded, Unauthenticated
from loom.ids import Instant
from loom.ids import Sequence as Seq
from loom.kernel import calls as c
from loom.kernel.backoff import full_jitter_ms
from loom.kernel.events import Event, NewEvent
from loom.kernel.kinds import EventKind
from loom.kernel.limits import Limits, filling_of
from loom.kernel.parks import Wait
from loom.kernel.raw_json import RawJson
from loom.stores.event_store import EventStore
from loom.worker.lease import Lease, Renewals
from loom.worker.replay import Body
from loom.worker.trail import Trail

_COPIED = frozenset({EventKind.MESSAGE_CONSUMED, EventKind.CHILD_OUTCOME})
"""Kinds whose payload the store makes: they are read back."""
_OF_A_RESUME = _COPIED | {EventKind.EXECUTION_RESUMED}

PAGE = 1_000

_Call = TypeVar("_Call")
_Answer = TypeVar("_Answer")

logger = logging.getLogger(__name__)


class Unwritable(Exception):
    """No store takes this event or this wait: the body asked for what is malformed or over a limit. The cause says."""


class OwnedLog:
    """Appends first, then gives to the body; what others wrote in between is read and given before (body-loop 1.2).

    Every method raises OwnershipLost once the grant is gone, and then nothing was written; what is contended is tried
    again with the same key, for as long as the lease lives. Append and park raise Unwritable.
    """

    def __init__(
        self,
        store: EventStore,
        claimed: c.Claimed,
        body: Body,
        *,
        renewals: Renewals,
        limits: Limits,
        rng: Random,
        ttl_ms: int,
        good_until: float,
        trail: Trail,
    ) -> None:
        self.credential = claimed.credential
        self.last_seq = Seq(0)  # up to here the body has been given everything
        self.cancel_seq = claimed.head.cancel_seq  # the newest request told, given or not
        self.waiting: c.Waiting | None = None  # as told last
        self.is_news = True  # told, and nobody has looked yet
        self.wake = asyncio.Event()  # something was told
        self._store = store
        self._body = body
        self._lease = Lease(claimed.credential, ttl_ms, good_until, self)
        self._renewals = renewals
        self._limits = limits
        self._rng = rng
        self._trail = trail
        self._lost: Exception | None = None

    def hold(self) -> None:
        """Have the lease renewed from now on."""
        self._renewals.hold(self._lease)

    def let_go(self) -> None:
        """Have it renewed no more."""
        self._renewals.let_go(self._lease)

    # What the renewals tell.

    def hear_waiting(self, waiting: c.Waiting) -> None:
        """Mail, outcomes or a cancel request wait."""
        self.waiting = waiting
        self.is_news = True
        self.cancel_seq = waiting.cancel_seq or self.cancel_seq
        self.wake.set()

    def hear_lost(self, error: Exception) -> None:
        """The grant is gone."""
        self._lost = self._lost or error
        self.wake.set()

    def take_news(self) -> c.Waiting:
        """What was told since the last time; before anything was told, that there may be anything."""
        if not self.is_news:
            return c.Waiting()
        self.is_news = False
        return self.waiting or c.Waiting(messages=True, outcomes=True)

    def has_unheard_cancel(self) -> bool:
        """Was a cancel request told that the body has not been given?"""
        return self.cancel_seq is not None and self.cancel_seq > self.last_seq

    def check_owned(self) -> None:
        """Raises OwnershipLost."""
        if self._lost is not None:
            raise OwnershipLost(str(self._lost)) from self._lost

    # Reading.

    async def read_to(self, last: int | None = None) -> None:
        """Give the body what the log holds beyond what it knows, up to `last` or to the end."""
        while last is None or self.last_seq < last:
            limit = PAGE if last is None else min(PAGE, last - self.last_seq)
            log = await self.call(self._store.read_events, self._reading(limit))
            await self.give(log.events)
            if not log.events or self.last_seq >= log.last_seq:
                return

    def _reading(self, limit: int) -> c.ReadEvents:
        own = self.credential
        return c.ReadEvents(
            namespace=own.namespace,
            execution_id=own.execution_id,
            incarnation=own.incarnation,
            from_seq=Seq(self.last_seq + 1),
            limit=limit,
        )

    async def give(self, events: Sequence[Event]) -> None:
        """Give events that follow each other; raises what the body's comparison raises."""
        await in_callback(lambda: self._give(events))

    def _give(self, events: Iterable[Event]) -> None:
        for event in events:
            self.last_seq = event.seq
            self._trail.meet(event)
            if self._came_with_grant(event):
                self._warn_of_filling(event.seq)
            self._body.give(event)

    def _came_with_grant(self, event: Event) -> bool:
        """Written under it, or by the resume that led to it: no earlier grant has told of this event."""
        token = self.credential.token
        return event.fence == token or (event.fence == token - 1 and event.kind in _OF_A_RESUME)

    def _warn_of_filling(self, seq: Seq) -> None:
        """One warning at each step, when it is reached."""
        percent = filling_of(seq, self._limits)
        if percent != filling_of(seq - 1, self._limits):
            logger.warning(
                "%s: its log holds %d of %d events, %d percent: continue as new, or start another execution",
                self.credential,
                seq,
                self._limits.log_events,
                percent,
            )

    # Writing.

    async def append(self, *events: NewEvent, release: tuple[str, ...] = ()) -> Seq:
        """Append, read what others wrote in between, give it all. Answers the first sequence."""
        answer = await self.write(*events, release=release)
        if any(event.kind in _COPIED for event in events):
            await self.read_to(answer.last_seq)
            return answer.first_seq
        await self.read_to(answer.first_seq - 1)
        await self.give([self._as_recorded(event, answer.first_seq + nth) for nth, event in enumerate(events)])
        return answer.first_seq

    async def give_written(self, kind: EventKind, payload: RawJson, seq: Seq | None) -> None:
        """What another call of this grant wrote; others' events come first. `seq` None: it stands somewhere already."""
        if seq is None:
            return await self.read_to()
        await self.read_to(seq - 1)
        await self.give([self._as_recorded(NewEvent(kind=kind, payload=payload), seq)])

    async def write(self, *events: NewEvent, release: tuple[str, ...] = ()) -> c.Appended:
        """Append, and give nothing: what ends a body, or what comes after it was stopped."""
        own = self.credential
        call = c.Append(
            namespace=own.namespace,
            execution_id=own.execution_id,
            credential=own,
            batch_id=secrets.token_hex(16),
            events=events,
            release=release,
        )
        answer = await self._record(self._store.append, call)
        self.hear_waiting(answer.waiting)
        return answer

    def _as_recorded(self, event: NewEvent, seq: int) -> Event:
        return Event(
            seq=Seq(seq),
            kind=event.kind,
            payload=event.payload,
            fence=self.credential.token,
            kernel=False,
            recorded_at=Instant(0),  # the payload of a worker's own event says its instant itself
        )

    async def park(self, waits: Iterable[Wait], heard: Seq | None) -> c.Parked:
        """Park; the grant is given up with it."""
        own = self.credential
        call = c.Park(
            namespace=own.namespace,
            execution_id=own.execution_id,
            credential=own,
            batch_id=secrets.token_hex(16),
            waits=tuple(waits),
            heard=heard,
        )
        with tracing.park(own.execution):
            parked = await self._record(self._store.park, call)
            tracing.tell(park_seq=parked.park_seq)
        self._warn_of_filling(parked.park_seq)
        return parked

    async def _record(self, method: Callable[[_Call], Awaitable[_Answer]], call: _Call) -> _Answer:
        """Only what the body asked for can be unwritable; rights that are missing say nothing about it."""
        try:
            return await self.call(method, call)
        except (Unauthenticated, Forbidden):
            raise
        except (Invalid, LimitReached) as error:
            raise Unwritable(str(error)) from error

    async def release(self) -> None:
        """Give the grant up without a word in the log."""
        own = self.credential
        call = c.Release(namespace=own.namespace, execution_id=own.execution_id, credential=own)
        await self.call(self._store.release, call)

    async def renew(self, ttl_ms: int) -> None:
        """From now on a lease of that length, longer or shorter than it was."""
        own = self.credential
        call = c.Renew(namespace=own.namespace, execution_id=own.execution_id, credential=own, ttl_ms=ttl_ms)
        await self.call(self._store.renew, call)

    async def call(self, method: Callable[[_Call], Awaitable[_Answer]], call: _Call) -> _Answer:
        """Make any call of the store under this grant. A process that overslept renews before it does anything."""
        attempt = 0
        while True:
            self.check_owned()
            if asyncio.get_running_loop().time() >= self._lease.good_until:
                await self._renewals.renew(self._lease)
                self.check_owned()
            try:
                return await method(call)
            except Superseded as error:
                self.hear_lost(error)
            except Contended as error:
                logger.debug("%s is tried again: %s", type(call).__name__, error)
                await asyncio.sleep(full_jitter_ms(attempt, self._rng) / 1000)
                attempt += 1


async def in_callback(act: Callable[[], _Answer]) -> _Answer:
    """Run `act` in a plain callback of this loop, where a body may be driven (body-loop 1.8)."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[_Answer] = loop.create_future()

    def run() -> None:
        try:
            result = act()
        except BaseException as error:
            if not answer.done():
                answer.set_exception(error)
        else:
            if not answer.done():
                answer.set_result(result)

    loop.call_soon(run)
    return await answer
