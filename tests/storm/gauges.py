"""What the store itself says while it storms, by its owner's connection: a new one for each look."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import asyncpg

from event_store.schedules.tables import Tables, read_tables
from fixtures.stack import Stack
from loom.ids import ExecutionId, Incarnation, Namespace, Sequence
from loom.kernel import calls as c

NAMESPACE = "default"
_TAKE_OVERS = """
SELECT count(*) FROM event_store.grants AS before JOIN event_store.grants AS after
    ON after.head = before.head AND after.token = before.token + 1
 WHERE before.rule = 'claim' AND after.rule = 'claim'
"""
"""Nobody gives a claim back in a storm: what follows one directly has taken over."""
_REFUSALS = """
SELECT surface, sum(count)::bigint AS times FROM event_store.refusals WHERE code = 'stale' GROUP BY surface ORDER BY 1
"""
_UNFINISHED = """
SELECT count(*) FROM event_store.heads
 WHERE workflow = 'storm.parent' AND status IN ('pending', 'running', 'parked')
"""
_BLOCKED = """
SELECT namespace, execution_id, incarnation, park_seq FROM event_store.heads
 WHERE status = 'parked' AND waits @? '$[*] ? (exists(@.operator))'
"""


@dataclass(slots=True)
class Gauges:
    """The numbers of the last look that succeeded; `refusals` of stale writes, by surface.

    While Postgres is down a look raises one of FAULTS.
    """

    stack: Stack
    take_overs: int = 0
    unfinished: int = 0
    refusals: dict[str, int] | None = None

    async def look(self) -> None:
        """Read them all."""
        async with self._owner() as connection:
            self.take_overs = await connection.fetchval(_TAKE_OVERS)
            self.unfinished = await connection.fetchval(_UNFINISHED)
            self.refusals = {row["surface"]: row["times"] for row in await connection.fetch(_REFUSALS)}

    async def blocked(self) -> list[c.Resume]:
        """What opens each park again that only an operator answers."""
        async with self._owner() as connection:
            rows = await connection.fetch(_BLOCKED)
        return [
            c.Resume(
                namespace=Namespace(row["namespace"]),
                execution_id=ExecutionId(row["execution_id"]),
                incarnation=Incarnation(row["incarnation"]),
                park_seq=Sequence(row["park_seq"]),
            )
            for row in rows
        ]

    async def read_tables(self) -> Tables:
        """All of it."""
        async with self._owner() as connection:
            return (await read_tables(connection, [NAMESPACE]))[NAMESPACE]

    @asynccontextmanager
    async def _owner(self) -> AsyncIterator[asyncpg.Connection[asyncpg.Record]]:
        connection = await asyncpg.connect(self.stack.owner_url, timeout=5, command_timeout=60)
        try:
            yield connection
        finally:
            connection.terminate()
