"""Refusals and polls into their tables."""

from __future__ import annotations

from loom.ids import Instant
from loom.kernel.heads import RefusalRow
from loom.stores.deciding import ROWS_KEPT
from loom_event_store import rows
from loom_event_store.sqlite.statements import Statements
from loom_event_store.tallies import POLLS_KEPT_MS, PollKey, RefusalKey


def record_refusals(statements: Statements, due: dict[RefusalKey, RefusalRow]) -> None:
    """Add to each row; of a head the newest are kept."""
    for (head, _, _), row in due.items():
        statements.run("write_refusal", {"head": head, **rows.plain_row(row)})
        statements.run("trim_refusals", {"head": head, "kept": ROWS_KEPT})


def record_polls(statements: Statements, due: tuple[PollKey, ...], now: Instant) -> None:
    """Date each row; those of workers long gone are forgotten."""
    for namespace, queue, workflow, worker in due:
        poll = {"namespace": namespace, "queue": queue, "workflow": workflow, "worker": worker, "seen_at": now}
        statements.run("write_poll", poll)
    statements.run("forget_polls", {"before": now - POLLS_KEPT_MS})
