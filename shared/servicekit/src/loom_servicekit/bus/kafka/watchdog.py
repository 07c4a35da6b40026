"""When a consumer is beyond help and is built anew, and when the process is."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

POLL_STALE_S = 15.0
SESSIONS = 3
REBUILDS_MAX = 3
REBUILDS_WITHIN_S = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """What is seen of a consumer, in seconds of one clock.

    `polled_at`: the last poll that was answered. `rebalancing_since`: while partitions change hands no poll is.
    `without_since`: it has no partition, or one that it may not go on with. `left_out`: there are some to have.
    """

    now: float
    polled_at: float
    coordination_ended: bool = False
    rebalancing_since: float | None = None
    without_since: float | None = None
    left_out: bool = False


def why_rebuild(signs: Signs, *, session_s: float, rebalance_s: float) -> str | None:
    """The reason to take the consumer for dead; None if it is well, or can be waited for."""
    if signs.coordination_ended:
        return "its coordination with the group has ended"
    if signs.rebalancing_since is not None:
        lasted_s = signs.now - signs.rebalancing_since
        return f"a rebalance took {lasted_s:.0f} s" if lasted_s > rebalance_s + SESSIONS * session_s else None
    if signs.now - signs.polled_at > POLL_STALE_S:
        return f"no poll was answered for {signs.now - signs.polled_at:.0f} s"
    if signs.left_out and is_long_without(signs, session_s=session_s):
        return f"it is without partitions for {SESSIONS} sessions, and some are free"
    return None


def is_long_without(signs: Signs, *, session_s: float) -> bool:
    """Has it had no partition for so long that it is time to ask whether there are any?"""
    return signs.without_since is not None and signs.now - signs.without_since > SESSIONS * session_s


class Rebuilds:
    """How often it was rebuilt lately."""

    def __init__(self) -> None:
        self._at: deque[float] = deque()

    def is_one_too_many(self, now: float) -> bool:
        """Count one more. True: it did not help REBUILDS_MAX times, so the process is to end."""
        self._at.append(now)
        while now - self._at[0] > REBUILDS_WITHIN_S:
            self._at.popleft()
        return len(self._at) > REBUILDS_MAX
