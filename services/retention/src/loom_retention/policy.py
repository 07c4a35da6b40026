"""How long what has ended is kept, by its ending and its namespace."""

from __future__ import annotations

from dataclasses import dataclass, fields

from loom.ids import Instant, noun
from loom.kernel.heads import Status

DAY_MS = 24 * 3600 * 1000


@noun
class Keep:
    """For each ending, how many milliseconds it is kept; None for ever."""

    completed: int | None = 30 * DAY_MS
    failed: int | None = 90 * DAY_MS
    cancelled: int | None = 30 * DAY_MS
    continued: int | None = 30 * DAY_MS

    def ms_of(self, ending: Status) -> int | None:
        """Milliseconds; None for ever."""
        ms: int | None = getattr(self, ending.value)
        return ms


ENDINGS = tuple(Status(field.name) for field in fields(Keep))


@dataclass(frozen=True, slots=True, kw_only=True)
class Policies:
    """One for all namespaces, and those that differ."""

    default: Keep
    by_namespace: dict[str, Keep]

    def of(self, namespace: str) -> Keep:
        return self.by_namespace.get(namespace, self.default)


def ended_before(keep: Keep, ending: Status, now: Instant) -> Instant | None:
    """What ended before this instant is kept no longer; None: everything is kept."""
    ms = keep.ms_of(ending)
    return None if ms is None else Instant(now - ms)
