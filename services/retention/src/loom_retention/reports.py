"""What a sweep did, or would do, and why."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from loom.ids import ExecutionRef, Instant, answer
from loom.kernel.heads import Head

ITEMS_MAX = 1_000

Fate = Literal["deleted", "would-go", "kept", "failed"]


@answer
class Finding:
    """One candidate. kept: something still needs it. failed: its rows could not be read, so it stays."""

    execution: ExecutionRef
    ending: str
    fate: Fate
    why: str


@answer
class Report:
    """Counts of all candidates, and the first ITEMS_MAX of them. `finished` false: another replica took over."""

    started_at: Instant
    dry_run: bool
    finished: bool
    counts: dict[str, int]
    items: tuple[Finding, ...]


class Ledger:
    """Findings as they come."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._items: list[Finding] = []

    def add(self, head: Head, fate: Fate, why: str) -> None:
        self._counts[fate] += 1
        if len(self._items) < ITEMS_MAX:
            self._items.append(Finding(execution=head.ref, ending=str(head.ending), fate=fate, why=why))

    def report(self, started_at: Instant, *, dry_run: bool, finished: bool) -> Report:
        return Report(
            started_at=started_at,
            dry_run=dry_run,
            finished=finished,
            counts=dict(self._counts),
            items=tuple(self._items),
        )
