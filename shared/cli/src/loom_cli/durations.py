"""Durations and instants as people write and read them; inside, whole milliseconds."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from loom.ids import Instant

_UNITS_MS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_FORM = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m|h|d)?")


def read_duration(text: str) -> int:
    """Milliseconds of `500ms`, `90s`, `1.5h`, `2d`; a bare number means seconds. ValueError for anything else."""
    match = _FORM.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a duration: write 500ms, 90s, 5m, 2h or 1d")
    return round(float(match[1]) * _UNITS_MS[match[2] or "s"])


def show_duration(ms: int) -> str:
    """At most two units: `340ms`, `1.2s`, `3m04s`, `2h05m`, `4d03h`."""
    if ms < 1_000:
        return f"{ms}ms"
    if ms < 60_000:
        return f"{ms // 100 / 10:g}s"
    minutes, seconds = divmod(ms // 1_000, 60)
    if minutes < 60:
        return f"{minutes}m{seconds:02}s"
    hours, minutes = divmod(minutes, 60)
    if hours < 24:
        return f"{hours}h{minutes:02}m"
    days, hours = divmod(hours, 24)
    return f"{days}d{hours:02}h"


def show_instant(at: Instant | None) -> str:
    """In UTC, to the millisecond; a hyphen for none, the bare number beyond the calendar's years."""
    if at is None:
        return "-"
    try:
        moment = datetime.fromtimestamp(at // 1_000, UTC)
    except (OverflowError, OSError, ValueError):
        return f"{at}ms"
    return moment.strftime("%Y-%m-%d %H:%M:%S.") + f"{at % 1_000:03}Z"


def show_second(at: Instant) -> str:
    """In UTC, to the second, where the eye compares many."""
    whole, dot, _ = show_instant(at).partition(".")
    return whole + "Z" if dot else whole
