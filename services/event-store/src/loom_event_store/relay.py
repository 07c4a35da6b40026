"""The relay: outbox -> bus, by one replica. A row goes when the bus has acknowledged it, and not before (I43)."""

from __future__ import annotations

import time
from collections.abc import Callable

from loom import tracing
from loom.clock import Clock, SystemClock
from loom.errors import StoreUnavailable
from loom.stores.event_store import EventStore, Outbox
from loom_servicekit.bus.port import MessageBus, Outcome
from loom_servicekit.duties import Duty
from loom_servicekit.loops import Loop

BATCH = 500
EVERY_MS = 50
FULL_SCAN_S = 5.0
PUBLISH_S = 30.0
DUTY_TTL_MS = 30_000
STAND_BY_MS = 5_000


class Relay:
    """Publishes rows by id, deletes what was acknowledged. `wake` after a commit; rows of others are found by polling.

    Rows commit in another order than their ids, so the greatest id deleted is only a hint where to look first: every
    FULL_SCAN_S all ids are looked at. The duty is prolonged only by work done, an acknowledgement or a look that found
    nothing, so that a replica which cannot reach the bus loses it.
    """

    def __init__(
        self,
        store: EventStore,
        outbox: Outbox,
        bus: MessageBus,
        owner: str,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        clock: Clock | None = None,
    ) -> None:
        self._outbox = outbox
        self._bus = bus
        self._duty = Duty(store, "relay", owner, ttl_ms=DUTY_TTL_MS)
        self._monotonic = monotonic
        self._clock = clock or SystemClock()
        self._loop = Loop("relay", self.step, every_ms=EVERY_MS)
        self._looked_from = 0
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
            return STAND_BY_MS
        published = await self._publish()
        await self._prolong()
        return 0 if published == BATCH else None

    async def _publish(self) -> int:
        rows = await self._outbox.read_outbox(self._after(), BATCH)
        if rows:
            envelopes = [envelope for _, envelope in rows]
            sends = tracing.Sends(envelopes, self._clock.now())
            outcomes = await self._bus.publish(envelopes, within_s=PUBLISH_S)
            sends.end(outcomes)
            done = [id for (id, _), outcome in zip(rows, outcomes, strict=True) if outcome is Outcome.ACKNOWLEDGED]
            await self._outbox.delete_outbox(tuple(done))
            if len(done) < len(rows):
                raise StoreUnavailable(f"the bus acknowledged {len(done)} of {len(rows)} hints within {PUBLISH_S:g} s")
            self._looked_from = max(self._looked_from, rows[-1][0])
        return len(rows)

    def _after(self) -> int:
        """From where to read: behind the hint, and once in a while from the beginning."""
        now = self._monotonic()
        if now < self._full_scan_at:
            return self._looked_from
        self._full_scan_at = now + FULL_SCAN_S
        return 0

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
