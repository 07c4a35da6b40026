"""What time it is. A clock may cost work, never correctness (design, law 5)."""

from __future__ import annotations

import time
from typing import Protocol

from loom.ids import Instant


class Clock(Protocol):
    """A source of instants, in milliseconds since the Unix epoch."""

    def now(self) -> Instant: ...


class SystemClock:
    """The host's wall clock."""

    def now(self) -> Instant:
        return Instant(time.time_ns() // 1_000_000)


class ManualClock:
    """A clock that moves only when told to."""

    def __init__(self, now: int = 1_700_000_000_000) -> None:
        self._now = now

    def now(self) -> Instant:
        return Instant(self._now)

    def advance(self, ms: int) -> None:
        """Move by `ms` milliseconds; a negative number steps the clock back."""
        self._now += ms
