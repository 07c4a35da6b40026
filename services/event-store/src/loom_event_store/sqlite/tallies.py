"""What is recorded best effort, in a transaction of its own, at most once a second per row: refusals and polls."""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterable
from dataclasses import replace

from loom.ids import Instant, Token
from loom.kernel import calls as c
from loom.kernel.change import Refusal
from loom.kernel.heads import RefusalRow
from loom.stores.deciding import ROWS_KEPT
from loom_event_store.sqlite import rows
from loom_event_store.sqlite.statements import Statements
from loom_event_store.sqlite.view import GREATEST

RECORD_S = 1.0
POLLS_KEPT_MS = 3600 * 1000

RefusalKey = tuple[int, Token, str]
PollKey = tuple[str, str, str, str]


class Paces:
    """Which rows were recorded within the last second."""

    def __init__(self) -> None:
        self._recorded: dict[Hashable, float] = {}

    def take(self, key: Hashable) -> bool:
        """Is it this row's turn? If so, its next one is a second from now."""
        now = time.monotonic()
        if now - self._recorded.get(key, -RECORD_S) < RECORD_S:
            return False
        self._recorded[key] = now
        return True

    def forget(self) -> None:
        """Drop what no longer holds anything back."""
        past = time.monotonic() - RECORD_S
        self._recorded = {key: at for key, at in self._recorded.items() if at > past}


class Refusals:
    """Late writes refused by this process and not yet recorded: counted here, so that none is lost while it lives."""

    def __init__(self) -> None:
        self._counted: dict[RefusalKey, RefusalRow] = {}
        self._paces = Paces()

    def count(self, head: int, row: RefusalRow) -> None:
        """Add what was refused, newest last."""
        key = (head, row.token, row.surface)
        self._counted[key] = _sum(self._counted.pop(key, None), row)

    def take_due(self) -> dict[RefusalKey, RefusalRow]:
        """The rows whose turn it is, no longer counted here: record them, or count them again."""
        due = {key: row for key, row in self._counted.items() if self._paces.take(key)}
        for key in due:
            del self._counted[key]
        self._paces.forget()
        return due

    def count_again(self, due: dict[RefusalKey, RefusalRow]) -> None:
        """What could not be recorded."""
        for (head, _, _), row in due.items():
            self.count(head, row)

    def joined(self, head: int, recorded: Iterable[RefusalRow]) -> tuple[RefusalRow, ...]:
        """The rows of this head with what is counted here, the one refused last at the end."""
        found = {(row.token, row.surface): row for row in recorded}
        for (of_head, token, surface), row in self._counted.items():
            if of_head == head:
                found[token, surface] = _sum(found.pop((token, surface), None), row)
        return tuple(sorted(found.values(), key=lambda row: row.last_at))

    def forget(self, heads: Iterable[int]) -> None:
        """What belonged to logs that are removed goes with them."""
        gone = set(heads)
        self._counted = {key: row for key, row in self._counted.items() if key[0] not in gone}


def refused(refusal: Refusal, now: Instant) -> RefusalRow | None:
    """The row of one refusal; None for one that was no late write, or whose token no store ever gave."""
    if refusal.presented is None or refusal.current is None or refusal.presented > GREATEST:
        return None
    return RefusalRow(
        token=refusal.presented,
        surface=refusal.surface,
        code=refusal.error.code,
        current_token=refusal.current,
        count=1,
        first_at=now,
        last_at=now,
    )


def _sum(before: RefusalRow | None, row: RefusalRow) -> RefusalRow:
    if before is None:
        return row
    return replace(row, count=before.count + row.count, first_at=min(before.first_at, row.first_at))


def record_refusals(statements: Statements, due: dict[RefusalKey, RefusalRow]) -> None:
    """Add to each row; of a head the newest are kept."""
    for (head, _, _), row in due.items():
        statements.run("write_refusal", {"head": head, **rows.plain_row(row)})
        statements.run("trim_refusals", {"head": head, "kept": ROWS_KEPT})


class Polls:
    """Who polls which queue for which workflow."""

    def __init__(self) -> None:
        self._paces = Paces()

    def take_due(self, call: c.ClaimRunnable) -> tuple[PollKey, ...]:
        """The rows of this poll whose turn it is."""
        keys = ((call.namespace, call.queue, workflow, call.owner) for workflow in call.workflows)
        due = tuple(key for key in keys if self._paces.take(key))
        self._paces.forget()
        return due


def record_polls(statements: Statements, due: tuple[PollKey, ...], now: Instant) -> None:
    """Date each row; those of workers long gone are forgotten."""
    for namespace, queue, workflow, worker in due:
        poll = {"namespace": namespace, "queue": queue, "workflow": workflow, "worker": worker, "seen_at": now}
        statements.run("write_poll", poll)
    statements.run("forget_polls", {"before": now - POLLS_KEPT_MS})
