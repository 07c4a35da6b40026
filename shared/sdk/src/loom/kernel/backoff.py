"""How long to wait before another try: full jitter, so that those who failed together do not come back together."""

from __future__ import annotations

from random import Random

BASE_MS = 200
CAP_MS = 30_000


def full_jitter_ms(attempt: int, rng: Random, *, base_ms: int = BASE_MS, cap_ms: int = CAP_MS) -> int:
    """Whole milliseconds before the try after `attempt` failed ones: evenly between 0 and the ceiling (I37)."""
    return rng.randint(0, ceiling_ms(attempt, base_ms=base_ms, cap_ms=cap_ms))


def ceiling_ms(attempt: int, *, base_ms: int = BASE_MS, cap_ms: int = CAP_MS) -> int:
    """`base_ms` doubled with every attempt, at most `cap_ms`."""
    doublings = min(max(attempt, 0), cap_ms.bit_length())
    return min(cap_ms, base_ms << doublings)
