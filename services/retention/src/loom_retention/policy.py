"""How long what has ended is kept. Pure: heads and an instant in, a reason or none out."""

from __future__ import annotations

from dataclasses import dataclass, fields

from loom.ids import Instant, noun
from loom.kernel.heads import Head, Status

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


def why_kept(keep: Keep, head: Head, now: Instant) -> str | None:
    """Why the policy keeps this execution, or None."""
    if head.ending is None or head.ended_at is None or not head.ended:
        return f"it is {head.shown}"
    before = ended_before(keep, head.ending, now)
    if before is None:
        return f"what is {head.ending} is kept for ever"
    return None if head.ended_at < before else f"it is {head.ending} and kept for another {head.ended_at - before} ms"
