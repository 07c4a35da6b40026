"""A round that one replica runs: a row of the event store says which, compared and set by its term."""

from __future__ import annotations

import secrets
import socket

from loom.errors import LeaseHeld, Refused
from loom.ids import Instant
from loom.kernel.calls import GiveUpDuty, ReadDuty, TakeDuty
from loom.kernel.heads import Duty as DutyRow
from loom.stores.event_store import EventStore

TTL_MS = 15_000


def new_owner() -> str:
    """A name for this process, unlike that of any other start of it."""
    return f"{socket.gethostname()[:100]}-{secrets.token_hex(8)}"


class Duty:
    """Held before every round, given up on stop. Losing it costs work, never correctness: remedies are conditional."""

    def __init__(self, store: EventStore, name: str, owner: str, *, ttl_ms: int = TTL_MS) -> None:
        self._store = store
        self._owner = owner
        self._ran = False
        self._row: DutyRow | None = None
        self.name = name
        self.ttl_ms = ttl_ms

    async def hold(self) -> bool:
        """Take or prolong the duty, reporting a round that `ran` before. False: another has it.

        Any error forgets what was known, so that the next try reads the row again.
        """
        row, self._row = self._row, None
        try:
            row = row or await self._store.read_duty(ReadDuty(name=self.name))
            taking = TakeDuty(name=self.name, owner=self._owner, term=row.term, ttl_ms=self.ttl_ms, ran=self._ran)
            self._row = await self._store.take_duty(taking)
        except (Refused, LeaseHeld):
            return False
        self._ran = False
        return True

    def ran(self) -> None:
        """A round was run; the next `hold` or `give_up` tells the store."""
        self._ran = True

    def forget(self) -> None:
        """A round failed: what is known of the row is no longer to be trusted."""
        self._row = None

    def is_due(self, every_ms: int) -> bool:
        """Was the last round, whoever ran it, at least so long ago? True before the first. Asked while it is held."""
        last_run = self._row.last_run if self._row else None
        return last_run is None or last_run + every_ms <= self.now()

    def now(self) -> Instant:
        """The store's own instant when the duty was last held."""
        assert self._row is not None, "asked without holding the duty"
        assert self._row.until is not None
        return Instant(self._row.until - self.ttl_ms)

    async def give_up(self) -> None:
        """Leave the duty to others at once. Raises what the store raises."""
        if self._row is None or (self._ran and not await self.hold()):
            return
        row, self._row = self._row, None
        await self._store.give_up_duty(GiveUpDuty(name=self.name, owner=self._owner, term=row.term))
