"""The relay: outbox -> bus, by one replica. A row goes when the bus has acknowledged it, and not before (I43)."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence

from loom import tracing
from loom.clock import Clock, SystemClock
from loom.errors import StoreUnavailable
from loom.kernel.hints import Envelope
from loom.stores.event_store import EventStore, Outbox
from loom_servicekit.bus.port import MessageBus, Outcome
from loom_servicekit.counts import Count, Level
from loom_servicekit.duties import Duty
from loom_servicekit.loops import Loop

log = logging.getLogger(__name__)

BATCH = 500
EVERY_MS = 50
FULL_SCAN_S = 5.0
PUBLISH_S = 30.0  # less than the producer's time for a request, since a batch that expires there is never made up for
ATTEMPTS_MAX = 5
DUTY_TTL_MS = 30_000
STAND_BY_MS = 5_000
STOP_MS = 5_000

OLDEST = Level(
    "loom.outbox.oldest", "ms", "How long the oldest hint has been waiting; it grows while no bus is reached"
)
DEAD = Count("loom.outbox.dead", "Hints that the bus refused for good, so many times over")

Rows = Sequence[tuple[int, Envelope]]


class Relay:
    """Publishes rows by id, deletes what was acknowledged. `wake` after a commit; rows of others are found by polling.

    Rows commit in another order than their ids, so the greatest id read is only a hint where to look first: every
    FULL_SCAN_S all ids are looked at. The duty is prolonged only by work done, an acknowledgement or a look at all ids
    that found nothing, so that a replica which cannot reach the bus loses it, as does one whose hints are all withheld;
    one that waited for `publish_s` in vain gives it up.

    What stays keeps nobody waiting: a batch that was not acknowledged until the next look at all ids, a hint of a topic
    that is not there until it is, one that the bus refuses for good until it has been offered ATTEMPTS_MAX times, and
    then it is dead.
    """

    def __init__(
        self,
        store: EventStore,
        outbox: Outbox,
        bus: MessageBus,
        owner: str,
        *,
        publish_s: float = PUBLISH_S,
        monotonic: Callable[[], float] = time.monotonic,
        clock: Clock | None = None,
    ) -> None:
        self._publish_s = publish_s
        self._outbox = outbox
        self._bus = bus
        self._duty = Duty(store, "relay", owner, ttl_ms=DUTY_TTL_MS)
        self._monotonic = monotonic
        self._clock = clock or SystemClock()
        self._loop = Loop("relay", self.step, every_ms=EVERY_MS, cap_ms=STAND_BY_MS, stop_ms=STOP_MS)
        self._looked_from = 0
        self._scanning_from: int | None = None
        self._full_scan_at = 0.0
        self._held_at = self._try_at = float("-inf")

    async def start(self) -> None:
        await self._loop.start()

    async def stop(self) -> None:
        await self._loop.stop()
        await self._duty.give_up()

    def wake(self) -> None:
        """Rows have just been committed."""
        self._loop.wake()

    def why_unready(self) -> str | None:
        """Never: the outbox is there so that the API works without a bus."""
        return None

    async def step(self) -> int | None:
        """One batch: 0 while there may be more."""
        if not await self._is_ours():
            await self._look_on()
            return STAND_BY_MS
        after = self._after()
        rows = await self._outbox.read_outbox(after, BATCH)
        if after == 0:
            self._tell_oldest(rows)
        taken = await self._publish(rows) if rows else 0
        self._note_looked(rows)
        if self._is_work(after, rows, taken):
            await self._prolong()
        return 0 if len(rows) == BATCH else None

    async def _look_on(self) -> None:
        """Whoever has lost the duty tells how it is, and not for ever how it was then."""
        if self._monotonic() >= self._full_scan_at:
            self._full_scan_at = self._monotonic() + FULL_SCAN_S
            self._tell_oldest(await self._outbox.read_outbox(0, 1))

    def _tell_oldest(self, rows: Rows) -> None:
        OLDEST.set(self._clock.now() - rows[0][1].created_at if rows else 0)

    async def _publish(self, rows: Rows) -> int:
        """How many were acknowledged. Raises StoreUnavailable if of some that is not known."""
        began_at = self._monotonic()
        ids: dict[Outcome, list[int]] = {outcome: [] for outcome in Outcome}
        for (id, _), outcome in zip(rows, await self._send(rows), strict=True):
            ids[outcome].append(id)
        await self._settle(ids)
        if ids[Outcome.UNKNOWN]:
            if len(rows) == BATCH:  # a partition without a leader is not to hold up all others
                self._note_looked(rows)
            if self._monotonic() - began_at >= self._publish_s:
                await self._give_up()
            raise StoreUnavailable(f"the bus did not acknowledge {len(ids[Outcome.UNKNOWN])} of {len(rows)} hints")
        return len(ids[Outcome.ACKNOWLEDGED])

    async def _send(self, rows: Rows) -> Sequence[Outcome]:
        envelopes = [envelope for _, envelope in rows]
        sends = tracing.Sends(envelopes, self._clock.now())
        outcomes = await self._bus.publish(envelopes, within_s=self._publish_s)
        sends.end(outcomes)
        return outcomes

    async def _settle(self, ids: dict[Outcome, list[int]]) -> None:
        """What was acknowledged goes; what was refused has had one attempt more."""
        if done := ids[Outcome.ACKNOWLEDGED]:
            await self._outbox.delete_outbox(tuple(done))
        if refused := ids[Outcome.REFUSED]:
            dead = await self._outbox.refuse_outbox(tuple(refused), attempts_max=ATTEMPTS_MAX)
            DEAD.add(len(dead))
            if dead:
                log.error("hints of the outbox that the bus refused %d times are dead: %s", ATTEMPTS_MAX, dead)

    def _is_work(self, after: int, rows: Rows, taken: int) -> bool:
        """A look behind the hint proves nothing: what stays is before it."""
        return taken > 0 or (after == 0 and not rows)

    def _after(self) -> int:
        """From where to read: behind the hint, and once in a while from the beginning."""
        if self._scanning_from is None and self._monotonic() >= self._full_scan_at:
            self._full_scan_at = self._monotonic() + FULL_SCAN_S
            self._scanning_from = 0
        return self._looked_from if self._scanning_from is None else self._scanning_from

    def _note_looked(self, rows: Rows) -> None:
        """A scan goes on behind what it has seen, some of which stays, until there is no more."""
        if rows:
            self._looked_from = max(self._looked_from, rows[-1][0])
        if self._scanning_from is not None:
            self._scanning_from = rows[-1][0] if len(rows) == BATCH else None

    async def _give_up(self) -> None:
        """Another replica may reach the bus; if there is none, this one is back soon."""
        self._held_at, self._try_at = float("-inf"), self._monotonic() + STAND_BY_MS / 1000
        await self._duty.give_up()

    async def _is_ours(self) -> bool:
        """Held by work done lately. If not, it is taken anew, but leaving others the time to be first."""
        now = self._monotonic()
        if now - self._held_at < DUTY_TTL_MS / 1000:
            return True
        return now >= self._try_at and await self._hold(now)

    async def _prolong(self) -> None:
        now = self._monotonic()
        if now - self._held_at > DUTY_TTL_MS / 3000:
            self._duty.ran()
            await self._hold(now)

    async def _hold(self, now: float) -> bool:
        held = await self._duty.hold()
        self._held_at = now if held else float("-inf")
        self._try_at = now + (DUTY_TTL_MS + 2 * STAND_BY_MS if held else STAND_BY_MS) / 1000
        return held
