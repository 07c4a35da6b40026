"""The limits of a store, with their defaults (design, section 9)."""

from __future__ import annotations

from loom.ids import answer

YEAR_MS = 365 * 24 * 3600 * 1000
FILLING_PERCENTS = (50, 80)


@answer
class Limits:
    """Settings of a deployment; sizes in bytes, durations in milliseconds. What is over one is refused, and says so."""

    event_bytes: int = 1 << 20
    append_events: int = 100
    append_bytes: int = 2 << 20
    result_bytes: int = 256 << 10
    log_events: int = 50_000
    log_reserved: int = 1_000  # of log_events, for kernel kinds
    inbox_waiting: int = 10_000
    children_open: int = 10_000
    lease_min_ms: int = 250
    lease_max_ms: int = 24 * 3600 * 1000
    duration_max_ms: int = 100 * YEAR_MS
    cancel_deadline_ms: int = 10 * 60 * 1000
    fruitless_claims: int = 8
    depth_read: int = 64
    depth_carried: int = 256


def filling_of(last_seq: int, limits: Limits) -> int | None:
    """How many percent of its room a log of this length has reached, by the steps that are warned of; None below."""
    reached = [percent for percent in FILLING_PERCENTS if last_seq * 100 >= limits.log_events * percent]
    return max(reached, default=None)
