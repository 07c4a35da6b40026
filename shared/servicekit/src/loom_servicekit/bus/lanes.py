"""Key lanes: hints of one key one after the other, of many keys side by side; and what a handler's end means (I44)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Hashable, Mapping
from functools import partial
from itertools import count
from random import Random
from typing import Protocol
from zlib import crc32

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt

from loom import tracing
from loom.clock import Clock, SystemClock
from loom.errors import (
    Busy,
    Contended,
    ExecutionGone,
    LoomError,
    NotFound,
    NotParked,
    RateLimited,
    StoreUnavailable,
)
from loom.kernel.backoff import full_jitter_ms
from loom.kernel.hints import Envelope
from loom_servicekit.bus.port import Handler
from loom_servicekit.pauses import Pause, pause

log = logging.getLogger(__name__)

LANES = 16
ATTEMPTS_MAX = 5

NOTHING_TO_DO = (NotParked, ExecutionGone, NotFound)
OUT_OF_REACH = (StoreUnavailable, Busy, RateLimited)


class ContractViolation(Exception):
    """A message that is none of ours: it goes to the dead letters at once."""


class Delivery(Protocol):
    """A message on its way through a lane. `ending`: it is not tried again; `lost`: nor begun, it is another's now."""

    @property
    def key(self) -> str: ...
    @property
    def about(self) -> Hashable:
        """What deliveries must have in common to be coalesced."""

    @property
    def content(self) -> Envelope | ContractViolation: ...
    @property
    def ending(self) -> asyncio.Event: ...
    @property
    def lost(self) -> bool: ...
    @property
    def place(self) -> Mapping[str, str | int]:
        """Where the bus has it, for its span, by the names of the messaging conventions."""

    def leave(self, done: bool) -> None:
        """Out of its lane, once: done, or to be delivered again to whoever owns it then."""

    async def bury(self, error: Exception, attempts: int) -> None:
        """Keep it as a dead letter. Raises StoreUnavailable if that cannot be done now."""


class Lanes:
    """One handler behind LANES queues. `changed` is called when something was put or has left.

    `coalesce`: of the deliveries queued about one thing only the last is handed on, and the others leave with it.
    `traced`: each try is a span, in the trace of its hint while that is young by `clock`.
    """

    def __init__(
        self,
        handler: Handler,
        *,
        name: str,
        coalesce: bool,
        rng: Random,
        pause: Pause = pause,
        changed: Callable[[], None] = lambda: None,
        traced: bool = True,
        clock: Clock | None = None,
    ) -> None:
        self._handler = handler
        self._name = name
        self._coalesce = coalesce
        self._rng = rng
        self._pause = pause
        self._changed = changed
        self._traced = traced
        self._clock = clock or SystemClock()
        self._numbers = count()
        self._troubles: dict[Delivery, LoomError] = {}
        self._lanes = [_Lane() for _ in range(LANES)]
        self._tasks = [asyncio.create_task(self._work(lane), name=f"{name} lane") for lane in self._lanes]
        self.waiting = 0

    def put(self, delivery: Delivery) -> None:
        lane = self._lanes[crc32(delivery.key.encode()) % LANES]
        self.waiting += lane.put(delivery.about if self._coalesce else next(self._numbers), delivery)
        self._changed()

    def out_of_reach(self) -> list[Delivery]:
        """Those that wait for a store which cannot be reached, or is busy as a whole."""
        return [delivery for delivery, error in self._troubles.items() if isinstance(error, OUT_OF_REACH)]

    def why_unready(self) -> str | None:
        """What is out of reach; a contended execution is nothing that others would be better at."""
        found = self.out_of_reach()
        return f"{self._name}: {self._troubles[found[0]].detail}" if found else None

    async def stop(self, drain_ms: int) -> None:
        """Take no more, and finish what is there; what takes longer is cancelled."""
        for lane in self._lanes:
            lane.close()
        _, late = await asyncio.wait(self._tasks, timeout=drain_ms / 1000)
        for task in late:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _work(self, lane: _Lane) -> None:
        while await lane.is_there():
            deliveries = lane.take()
            done = False
            try:
                done = await self._settle(deliveries)
            except Exception:
                log.exception("%s: a lane could not settle %s", self._name, deliveries[-1].key)
            finally:
                for delivery in deliveries:
                    delivery.leave(done and not delivery.lost)
                self.waiting -= 1
                self._changed()

    async def _settle(self, deliveries: list[Delivery]) -> bool:
        """Hand on the last that is still wanted. False: nothing came of it."""
        wanted = [delivery for delivery in deliveries if not delivery.lost]
        if not wanted:
            return False
        delivery = wanted[-1]
        content = delivery.content
        if isinstance(content, ContractViolation):
            return await self._bury(delivery, content, attempts=0)
        try:
            return await self._persist(delivery, partial(self._try, delivery, content))
        except _Ending:
            return False
        except NOTHING_TO_DO:
            return True
        except Exception as bug:
            return await self._bury(delivery, bug, attempts=ATTEMPTS_MAX)

    async def _handle(self, delivery: Delivery, envelope: Envelope) -> None:
        if not self._traced:
            return await self._handler(envelope.hint)
        with tracing.process(envelope, group=self._name, now=self._clock.now(), place=delivery.place):
            await self._handler(envelope.hint)

    async def _try(self, delivery: Delivery, envelope: Envelope) -> None:
        """ATTEMPTS_MAX times if it fails like a bug; all else is raised at once."""

        def wait_s(state: RetryCallState) -> float:
            return full_jitter_ms(state.attempt_number, self._rng) / 1000

        async def rest(seconds: float) -> None:
            if not delivery.ending.is_set():
                await self._pause(delivery.ending, round(seconds * 1000))
            if delivery.ending.is_set():
                raise _Ending

        stop = stop_after_attempt(ATTEMPTS_MAX)
        retrying = AsyncRetrying(retry=retry_if_exception(_is_bug), stop=stop, wait=wait_s, sleep=rest, reraise=True)
        await retrying(self._handle, delivery, envelope)

    async def _persist(self, delivery: Delivery, act: Callable[[], Awaitable[None]]) -> bool:
        """For ever, while it is contended or out of reach. False: given up, since its owner ends or lost it."""
        try:
            for attempt in count(1):
                try:
                    await act()
                    return True
                except Contended as error:
                    self._note_trouble(delivery, error)
                if delivery.ending.is_set():
                    return False
                await self._pause(delivery.ending, full_jitter_ms(attempt, self._rng))
                if delivery.lost:
                    return False
            raise AssertionError("counting ends")
        finally:
            self._troubles.pop(delivery, None)

    def _note_trouble(self, delivery: Delivery, error: LoomError) -> None:
        if delivery not in self._troubles:
            log.warning("%s: %s waits: %s: %s", self._name, delivery.key, error.code, error.detail)
        self._troubles[delivery] = error
        self._changed()

    async def _bury(self, delivery: Delivery, error: Exception, attempts: int) -> bool:
        known = error if not isinstance(error, ContractViolation) else None
        log.error("%s: gave up on %r: %r", self._name, delivery.content, error, exc_info=known)
        return await self._persist(delivery, partial(_keep, delivery, error, attempts))


async def _keep(delivery: Delivery, error: Exception, attempts: int) -> None:
    """As a dead letter, whatever stands in the way: a record left undone would hold up the commits behind it."""
    try:
        await delivery.bury(error, attempts)
    except Contended:
        raise
    except Exception as fault:
        raise StoreUnavailable(f"the dead letter could not be written: {fault!r}") from fault


class _Ending(Exception):
    """No further try: the delivery's owner ends."""


def _is_bug(error: BaseException) -> bool:
    return isinstance(error, Exception) and not isinstance(error, (Contended, *NOTHING_TO_DO))


class _Lane:
    """A queue in order of arrival. What is put under a key that is queued joins those of that key."""

    def __init__(self) -> None:
        self._queue: dict[Hashable, list[Delivery]] = {}
        self._there = asyncio.Event()
        self._closed = False

    def put(self, key: Hashable, delivery: Delivery) -> int:
        """How many more there are to hand on: 1, or 0 where it joined others."""
        known = key in self._queue
        self._queue.setdefault(key, []).append(delivery)
        self._there.set()
        return 0 if known else 1

    def take(self) -> list[Delivery]:
        return self._queue.pop(next(iter(self._queue)))

    def close(self) -> None:
        self._closed = True
        self._there.set()

    async def is_there(self) -> bool:
        while not self._queue:
            if self._closed:
                return False
            self._there.clear()
            await self._there.wait()
        return True
