"""What time it is, and how long something takes. A clock may cost work, never correctness (design, law 5)."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Protocol, overload

from loom.ids import Instant

Duration = float | int | timedelta
"""Seconds, or a timedelta."""


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


@overload
def ms_of(duration: Duration) -> int: ...
@overload
def ms_of(duration: None) -> None: ...
def ms_of(duration: Duration | None) -> int | None:
    """Whole milliseconds. Raises ValueError for a negative duration."""
    if duration is None:
        return None
    seconds = duration.total_seconds() if isinstance(duration, timedelta) else float(duration)
    if seconds < 0:
        raise ValueError(f"a duration is not negative: {duration}")
    return round(seconds * 1000)
