"""Refusals and polls into their tables."""

from __future__ import annotations

from loom.kernel.heads import RefusalRow
from loom.stores.deciding import ROWS_KEPT
from loom_event_store.postgres.statements import Statements
from loom_event_store.tallies import POLLS_KEPT_MS, PollKey, RefusalKey
from loom_servicekit.postgres import Connection

KEY_BYTES = 2_600
"""What a row of the index over who polls what can hold."""


async def record_refusals(connection: Connection, due: dict[RefusalKey, RefusalRow]) -> None:
    """Add to each row; of a head the newest are kept."""
    async with connection.transaction(isolation="read_committed"):
        at = Statements(connection)
        for (head, _, _), row in sorted(due.items()):
            counts = (row.count, row.first_at, row.last_at)
            await at.run("write_refusal", head, row.token, row.surface, row.code, row.current_token, *counts)
            await at.run("trim_refusals", head, ROWS_KEPT)


async def record_polls(connection: Connection, due: tuple[PollKey, ...]) -> None:
    """Date each row; those of workers long gone are forgotten. What is too long for the index is not kept at all."""
    at = Statements(connection)
    for poll in due:
        if sum(len(part.encode()) for part in poll) <= KEY_BYTES:
            await at.run("write_poll", *poll)
    await at.run("forget_polls", POLLS_KEPT_MS)
