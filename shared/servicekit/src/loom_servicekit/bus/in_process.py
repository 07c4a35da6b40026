"""The bus of `loom dev` and of tests: lanes in memory. What a crash loses, the sweeps find."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from random import Random
from zlib import crc32

from loom.errors import Contended, ExecutionGone, LoomError, NotFound, NotParked
from loom.kernel.backoff import full_jitter_ms
from loom.kernel.hints import Envelope, Hint
from loom_servicekit.bus.port import Handler, Outcome
from loom_servicekit.pauses import Pause, pause
from loom_servicekit.topics import DeadLetter, addressee

log = logging.getLogger(__name__)

LANES = 16
WAITING_MAX = 10_000
ATTEMPTS_MAX = 5
DEAD_LETTERS_MAX = 1_000
DRAIN_MS = 10_000

NOTHING_TO_DO = (NotParked, ExecutionGone, NotFound)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rules:
    """How subscriptions wait, and where they put what they give up on."""

    waiting_max: int
    rng: Random
    pause: Pause
    dead_letters: deque[DeadLetter] = field(default_factory=lambda: deque(maxlen=DEAD_LETTERS_MAX))


class InProcessBus:
    """A hint is acknowledged when every group has room for it; `waiting_max` bounds each, then `publish` waits."""

    def __init__(self, *, waiting_max: int = WAITING_MAX, rng: Random | None = None, pause: Pause = pause) -> None:
        self._rules = _Rules(waiting_max=waiting_max, rng=rng or Random(), pause=pause)
        self._subscriptions: list[InProcessSubscription] = []

    @property
    def dead_letters(self) -> Sequence[DeadLetter]:
        """The newest hints that handlers gave up on."""
        return tuple(self._rules.dead_letters)

    async def publish(self, envelopes: Sequence[Envelope], *, within_s: float) -> tuple[Outcome, ...]:
        outcomes = [Outcome.UNKNOWN] * len(envelopes)
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                for number, envelope in enumerate(envelopes):
                    for subscription in self._readers(envelope.hint):
                        await subscription.accept(envelope.hint)
                    outcomes[number] = Outcome.ACKNOWLEDGED
        return tuple(outcomes)

    def subscribe(
        self, topics: tuple[type[Hint], ...], handler: Handler, *, group: str | None, coalesce: bool = False
    ) -> InProcessSubscription:
        self._subscriptions = [known for known in self._subscriptions if not known.stopped]
        subscription = InProcessSubscription(topics, handler, group, coalesce, self._rules)
        self._subscriptions.append(subscription)
        return subscription

    async def settled(self) -> None:
        """Wait until no hint is queued or in a handler: a test waits for this instead of for time."""
        while busy := [subscription for subscription in self._subscriptions if not subscription.idle.is_set()]:
            await busy[0].idle.wait()

    def _readers(self, hint: Hint) -> list[InProcessSubscription]:
        """Those without a group first, since they never make anybody wait; then one member of each group."""
        interested = [known for known in self._subscriptions if known.wants(hint)]
        groups: dict[str, list[InProcessSubscription]] = {}
        for known in interested:
            if known.group is not None:
                groups.setdefault(known.group, []).append(known)
        shares = [members[crc32(hint.key.encode()) % len(members)] for members in groups.values()]
        return [known for known in interested if known.group is None] + shares


class InProcessSubscription:
    """Key lanes in front of one handler. Made by `InProcessBus.subscribe`, inside a running event loop."""

    def __init__(
        self, topics: tuple[type[Hint], ...], handler: Handler, group: str | None, coalesce: bool, rules: _Rules
    ) -> None:
        self._topics = topics
        self._handler = handler
        self.group = group
        self._coalesce = coalesce
        self._rules = rules
        self._stopping = asyncio.Event()
        self._room = asyncio.Event()
        self.idle = asyncio.Event()
        self._numbers = count()
        self._lanes = [_Lane(self._handle) for _ in range(LANES)]
        self._trouble: dict[str, str] = {}
        self._count()

    @property
    def stopped(self) -> bool:
        return self._stopping.is_set()

    def wants(self, hint: Hint) -> bool:
        return not self.stopped and isinstance(hint, self._topics)

    async def accept(self, hint: Hint) -> None:
        """Queue the hint, once there is room. A subscriber without a group keeps nobody waiting: it loses the hint."""
        if self.group is None and not self._room.is_set():
            return
        while not (self._room.is_set() or self.stopped):
            await self._room.wait()
        if not self.stopped:
            lane = self._lanes[crc32(hint.key.encode()) % LANES]
            lane.put(addressee(hint) if self._coalesce else next(self._numbers), hint)
            self._count()

    async def stop(self) -> None:
        self._stopping.set()
        self._room.set()
        for lane in self._lanes:
            lane.close()
        _, late = await asyncio.wait([lane.task for lane in self._lanes], timeout=DRAIN_MS / 1000)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
        self.idle.set()

    def why_unready(self) -> str | None:
        return next((f"{self.group}: {trouble}" for trouble in self._trouble.values()), None)

    async def _handle(self, hint: Hint) -> None:
        try:
            await self._hand_over(hint)
        finally:
            self._trouble.pop(hint.key, None)
            self._count(finished=1)

    async def _hand_over(self, hint: Hint) -> None:
        bugs = 0
        for attempt in count(1):
            try:
                return await self._handler(hint)
            except NOTHING_TO_DO:
                return None
            except Contended as error:
                self._note_trouble(hint, error)
            except Exception as error:
                bugs += 1
                if bugs == ATTEMPTS_MAX:
                    return self._bury(hint, error, bugs)
            if self.stopped:
                return None
            await self._rules.pause(self._stopping, full_jitter_ms(attempt, self._rules.rng))

    def _note_trouble(self, hint: Hint, error: LoomError) -> None:
        if hint.key not in self._trouble:
            log.warning("%s: %s waits: %s: %s", self.group, hint.key, error.code, error.detail)
        self._trouble[hint.key] = error.detail

    def _bury(self, hint: Hint, error: Exception, attempts: int) -> None:
        log.error("%s: gave up on %r after %d attempts", self.group, hint, attempts, exc_info=error)
        self._rules.dead_letters.append(
            DeadLetter(hint=hint, group=self.group, error=type(error).__name__, attempts=attempts)
        )

    def _count(self, finished: int = 0) -> None:
        waiting = sum(lane.waiting for lane in self._lanes) - finished
        _switch(self._room, waiting < self._rules.waiting_max or self.stopped)
        _switch(self.idle, waiting == 0)


class _Lane:
    """A queue and the one task that empties it, in order. A hint put under a key that is queued takes its place."""

    def __init__(self, handle: Handler) -> None:
        self._handle = handle
        self._queue: dict[Hashable, Hint] = {}
        self._there = asyncio.Event()
        self._closed = False
        self._busy = False
        self.task = asyncio.create_task(self._work())

    @property
    def waiting(self) -> int:
        """Hints queued, and the one at hand."""
        return len(self._queue) + self._busy

    def put(self, key: Hashable, hint: Hint) -> None:
        self._queue[key] = hint
        self._there.set()

    def close(self) -> None:
        self._closed = True
        self._there.set()

    async def _work(self) -> None:
        while await self._is_there():
            hint = self._queue.pop(next(iter(self._queue)))
            self._busy = True
            try:
                await self._handle(hint)
            finally:
                self._busy = False

    async def _is_there(self) -> bool:
        while not self._queue:
            if self._closed:
                return False
            self._there.clear()
            await self._there.wait()
        return True


def _switch(event: asyncio.Event, on: bool) -> None:
    event.set() if on else event.clear()
