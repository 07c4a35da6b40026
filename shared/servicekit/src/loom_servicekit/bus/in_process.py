"""The bus of `loom dev` and of tests: lanes in memory. What a crash loses, the sweeps find."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from zlib import crc32

from loom.clock import Clock, SystemClock
from loom.kernel.hints import Envelope, Hint
from loom_servicekit.bus.lanes import Lanes
from loom_servicekit.bus.port import Handler, Missed, Outcome, nothing_missed
from loom_servicekit.pauses import Pause, pause
from loom_servicekit.topics import DeadLetter, addressee

WAITING_MAX = 10_000
DEAD_LETTERS_MAX = 1_000
DRAIN_MS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rules:
    """How subscriptions wait, and where they put what they give up on."""

    waiting_max: int
    rng: Random
    pause: Pause
    clock: Clock
    dead_letters: deque[DeadLetter] = field(default_factory=lambda: deque(maxlen=DEAD_LETTERS_MAX))


class InProcessBus:
    """A hint is acknowledged when every group has room for it; `waiting_max` bounds each, then `publish` waits."""

    def __init__(
        self,
        *,
        waiting_max: int = WAITING_MAX,
        rng: Random | None = None,
        pause: Pause = pause,
        clock: Clock | None = None,
    ) -> None:
        clock = clock or SystemClock()
        self._rules = _Rules(waiting_max=waiting_max, rng=rng or Random(), pause=pause, clock=clock)
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
                        await subscription.accept(envelope)
                    outcomes[number] = Outcome.ACKNOWLEDGED
        return tuple(outcomes)

    def subscribe(
        self,
        topics: tuple[type[Hint], ...],
        handler: Handler,
        *,
        group: str | None,
        coalesce: bool = False,
        missed: Missed = nothing_missed,
    ) -> InProcessSubscription:
        self._subscriptions = [known for known in self._subscriptions if not known.stopped]
        subscription = InProcessSubscription(topics, handler, group, coalesce, missed, self._rules)
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
        self,
        topics: tuple[type[Hint], ...],
        handler: Handler,
        group: str | None,
        coalesce: bool,
        missed: Missed,
        rules: _Rules,
    ) -> None:
        self._topics = topics
        self.group = group
        self._missed = missed
        self._rules = rules
        self._stopping = asyncio.Event()
        self._room = asyncio.Event()
        self.idle = asyncio.Event()
        name = group or "tail"
        self._lanes = Lanes(
            handler,
            name=name,
            coalesce=coalesce,
            rng=rules.rng,
            pause=rules.pause,
            changed=lambda: self._count(),
            traced=group is not None,
            clock=rules.clock,
        )
        self._count()

    @property
    def stopped(self) -> bool:
        return self._stopping.is_set()

    def wants(self, hint: Hint) -> bool:
        return not self.stopped and isinstance(hint, self._topics)

    async def accept(self, envelope: Envelope) -> None:
        """Queue the hint, once there is room. A subscriber without a group keeps nobody waiting: it misses the hint."""
        if self.group is None and not self._room.is_set():
            return self._missed()
        while not (self._room.is_set() or self.stopped):
            await self._room.wait()
        if not self.stopped:
            self._lanes.put(_Local(envelope, self.group, self._stopping, self._rules.dead_letters))
        return None

    async def stop(self) -> None:
        self._stopping.set()
        self._room.set()
        await self._lanes.stop(DRAIN_MS)
        self.idle.set()

    def why_unready(self) -> str | None:
        return self._lanes.why_unready()

    def _count(self) -> None:
        _switch(self._room, self._lanes.waiting < self._rules.waiting_max or self.stopped)
        _switch(self.idle, self._lanes.waiting == 0)


@dataclass(frozen=True, slots=True, eq=False)
class _Local:
    """A delivery that nobody has to be told about."""

    content: Envelope
    group: str | None
    ending: asyncio.Event
    dead_letters: deque[DeadLetter]
    lost: bool = False

    @property
    def place(self) -> Mapping[str, str | int]:
        return {"system": "loom"}

    @property
    def key(self) -> str:
        return self.content.hint.key

    @property
    def about(self) -> Hashable:
        return addressee(self.content.hint)

    def leave(self, done: bool) -> None:
        return

    async def bury(self, error: Exception, attempts: int) -> None:
        self.dead_letters.append(
            DeadLetter(hint=self.content.hint, group=self.group, error=type(error).__name__, attempts=attempts)
        )


def _switch(event: asyncio.Event, on: bool) -> None:
    event.set() if on else event.clear()
