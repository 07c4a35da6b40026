"""Two nodes of timers on one database, one of them seen to wait for the other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest

from fixtures.event_stores import EventStoreDatabase, migrated_database
from fixtures.postgres import Postgres
from loom.stores.timer_store import WAKE, Schedule
from loom_servicekit.postgres import PostgresTables, open_pool
from loom_servicekit.tables import read_own
from loom_timers.store import PACKAGE, SqlTimerStore
from timers.rows import key_of

CLAIM = read_own(PACKAGE, "timers")["claim_due"]
ROW_LOCAL = "\n  AND wake_at <= timers.loom_now() AND claimed_until <= timers.loom_now()"


@pytest.fixture
async def database(postgres: Postgres) -> AsyncIterator[EventStoreDatabase]:
    """With one row that is due."""
    async with migrated_database(postgres) as database:
        pool = await open_pool(database.application, size=1)
        await SqlTimerStore(PostgresTables(pool, PACKAGE, "timers")).schedule(Schedule(key=key_of(), delay_ms=0))
        await pool.close()
        yield database


async def claimed_behind(database: EventStoreDatabase, statement: str) -> tuple[int, int]:
    """How many rows each of two claims got, the second having waited for the first to commit."""
    first, second, watcher = [await asyncpg.connect(database.application) for _ in range(3)]
    try:
        await first.execute("BEGIN")
        got = await first.fetch(statement, f",{WAKE},", "first", 10, 60_000)
        waiting = asyncio.ensure_future(second.fetch(statement, f",{WAKE},", "second", 10, 60_000))
        async with asyncio.timeout(5):
            blocked = "SELECT cardinality(pg_blocking_pids($1)) > 0"
            while not await watcher.fetchval(blocked, second.get_server_pid()):  # noqa: ASYNC110 - it waits elsewhere
                await asyncio.sleep(0.01)
        await first.execute("COMMIT")
        return len(got), len(await waiting)
    finally:
        for connection in (first, second, watcher):
            await connection.close()


async def test_a_row_is_claimed_by_one_node(database: EventStoreDatabase) -> None:
    """H24, I35: whoever waited judges the row that the other left, by columns of that row."""
    assert await claimed_behind(database, CLAIM) == (1, 0)


async def test_a_claim_judged_in_the_subquery_alone_is_made_twice(database: EventStoreDatabase) -> None:
    """H24, negative control: the subquery keeps the snapshot of before the wait, so both get the row."""
    assert ROW_LOCAL in CLAIM

    assert await claimed_behind(database, CLAIM.replace(ROW_LOCAL, "")) == (1, 1)
