"""Races that are forced: one session holds, the other is seen to wait, then the first lets go. Wrong forms beside right
ones, since a check that no fault can turn red checks nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import pytest

from fixtures.event_stores import EventStoreDatabase, migrated_database
from fixtures.pgbouncer import running_pgbouncer
from fixtures.postgres import Postgres
from loom.errors import LeaseHeld, Stale
from loom.ids import Credential, ExecutionId, Namespace, Nonce
from loom.kernel import calls as c
from loom.kernel.events import NewEvent
from loom.kernel.parks import Timer, TimerWait
from loom_event_store.postgres.store import PostgresEventStore
from loom_servicekit.migrations import APPLICATION

NAME: dict[str, Any] = {"namespace": Namespace("n"), "execution_id": ExecutionId("e")}
SCRATCH = """
CREATE SCHEMA IF NOT EXISTS scratch;
DROP TABLE IF EXISTS scratch.fences, scratch.log, scratch.leases;
CREATE TABLE scratch.fences (id integer PRIMARY KEY, fence integer NOT NULL);
CREATE TABLE scratch.log (id integer NOT NULL, seq integer NOT NULL, kind text NOT NULL, PRIMARY KEY (id, seq));
CREATE TABLE scratch.leases (id integer PRIMARY KEY, lease_until timestamptz);
INSERT INTO scratch.fences VALUES (1, 1), (2, 1);
INSERT INTO scratch.log VALUES (1, 1, 'SUSPENDED');
INSERT INTO scratch.leases VALUES (1, NULL);
"""
SHARE_APPEND = """
WITH f AS MATERIALIZED (SELECT fence FROM scratch.fences WHERE id = 1 FOR SHARE)
INSERT INTO scratch.log SELECT 1, 2, 'RESUMED' WHERE (SELECT fence FROM f) <= 1 RETURNING seq
"""
ACQUIRE_AT_ONCE = """
UPDATE scratch.fences SET fence = 2
 WHERE id = 1 AND fence = 1 AND NOT EXISTS (SELECT 1 FROM scratch.log WHERE id = 1 AND seq > 1) RETURNING fence
"""


@pytest.fixture(scope="module")
def shared(postgres: Postgres) -> Iterator[EventStoreDatabase]:
    """A migrated database for this module."""
    with asyncio.Runner() as runner:
        opened = migrated_database(postgres)
        yield runner.run(opened.__aenter__())
        runner.run(opened.__aexit__(None, None, None))


@pytest.fixture
async def database(shared: EventStoreDatabase) -> EventStoreDatabase:
    """The module's database, emptied, with the scratch tables of the wrong forms."""
    await shared.empty()
    connection = await asyncpg.connect(shared.owner)
    await connection.execute(SCRATCH)
    await connection.close()
    return shared


@pytest.fixture
async def store(database: EventStoreDatabase) -> AsyncIterator[PostgresEventStore]:
    """A store of the application's."""
    store = await PostgresEventStore.open(database.application, size=3)
    yield store
    await store.close()


@asynccontextmanager
async def two_sessions(url: str) -> AsyncIterator[tuple[asyncpg.Connection, asyncpg.Connection]]:
    """Two connections, the first in a transaction that the block ends by `commit`."""
    first, second = [await asyncpg.connect(url) for _ in range(2)]
    try:
        yield first, second
    finally:
        await first.close()
        await second.close()


async def until_blocked(database: EventStoreDatabase) -> None:
    """Look until somebody waits for somebody's lock."""
    watcher = await asyncpg.connect(database.owner)
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE cardinality(pg_blocking_pids(pid)) > 0"
    async with asyncio.timeout(5):
        while not await watcher.fetchval(waiting):  # noqa: ASYNC110 - what changes is elsewhere
            await asyncio.sleep(0.01)
    await watcher.close()


async def behind(database: EventStoreDatabase, first: asyncpg.Connection, held: str, waiting: Any) -> Any:
    """What `waiting` comes to when it began behind `held` and was let go by its commit."""
    await first.execute("BEGIN")
    assert await first.fetchval(held) is not None
    answer = asyncio.ensure_future(waiting)
    await until_blocked(database)
    await first.execute("COMMIT")
    return await answer


async def started(store: PostgresEventStore) -> c.Started:
    """A pending execution."""
    return await store.start(c.Start(**NAME, batch_id="s", workflow="w", queue="q"))


def claim(start: c.Started, n: int) -> c.Claim:
    """A claim of what was seen."""
    return c.Claim(
        **NAME,
        incarnation=start.execution.incarnation,
        token=start.token,
        nonce=Nonce(f"{n:032}"),
        owner=f"o{n}",
        ttl_ms=60_000,
    )


async def parked(store: PostgresEventStore) -> tuple[Credential, c.Parked]:
    """Parked on a timer that is due."""
    credential = (await store.claim(claim(await started(store), 1))).credential
    waits = (TimerWait(id="t", timer=Timer(delay_ms=0)),)
    return credential, await store.park(c.Park(**NAME, credential=credential, batch_id="p", waits=waits))


async def test_a_look_at_the_log_in_the_guard_lets_both_win(database: EventStoreDatabase) -> None:
    """H24, p01: the wrong form. The row is judged again after the wait, the subquery keeps its old snapshot."""
    async with two_sessions(database.owner) as (first, second):
        acquired = await behind(database, first, SHARE_APPEND, second.fetchval(ACQUIRE_AT_ONCE))

    assert acquired == 2  # and the answer is in the log, too


async def test_a_look_in_a_second_statement_sees_it(database: EventStoreDatabase) -> None:
    """H24, p03: the right form of the same."""

    async def acquire(connection: asyncpg.Connection) -> Any:
        async with connection.transaction():
            await connection.execute("SELECT 1 FROM scratch.fences WHERE id = 1 FOR UPDATE")
            return await connection.fetchval(ACQUIRE_AT_ONCE)

    async with two_sessions(database.owner) as (first, second):
        assert await behind(database, first, SHARE_APPEND, acquire(second)) is None


async def test_under_repeatable_read_it_does_not(database: EventStoreDatabase) -> None:
    """H25, p06: both win, and no error says so, since the fence's row was only locked."""

    async def acquire(connection: asyncpg.Connection) -> Any:
        async with connection.transaction(isolation="repeatable_read"):
            await connection.execute("SELECT 1 FROM scratch.fences WHERE id = 1 FOR UPDATE")
            return await connection.fetchval(ACQUIRE_AT_ONCE)

    async with two_sessions(database.owner) as (first, second):
        assert await behind(database, first, SHARE_APPEND, acquire(second)) == 2


@pytest.mark.parametrize(("lock", "acquired"), [("FOR UPDATE", None), ("FOR NO KEY UPDATE", 2)])
async def test_a_key_share_is_enough_if_and_only_if_every_bump_takes_for_update(
    database: EventStoreDatabase, lock: str, acquired: int | None
) -> None:
    """H26, p08 and p09: what a plain UPDATE takes does not meet FOR KEY SHARE."""
    append = SHARE_APPEND.replace("FOR SHARE", "FOR KEY SHARE")

    async def acquire(connection: asyncpg.Connection) -> Any:
        async with connection.transaction():
            await connection.execute(f"SELECT 1 FROM scratch.fences WHERE id = 1 {lock}")
            return await connection.fetchval(ACQUIRE_AT_ONCE)

    async with two_sessions(database.owner) as (first, second):
        if acquired is None:
            assert await behind(database, first, append, acquire(second)) is None
        else:
            await first.execute("BEGIN")
            await first.fetchval(append)
            assert await acquire(second) == acquired  # it did not even wait
            await first.execute("COMMIT")


async def test_a_lease_counted_from_now_is_born_expired(database: EventStoreDatabase) -> None:
    """H30, p23: now() is when the transaction began, before its wait; clock_timestamp() is when it got the row."""
    lease = "UPDATE scratch.leases SET lease_until = {}() + interval '1 millisecond'"
    held = "UPDATE scratch.leases SET lease_until = NULL RETURNING id"

    for clock, expired in (("now", True), ("clock_timestamp", False)):
        async with two_sessions(database.owner) as (first, second):
            await first.execute("BEGIN")
            await first.fetchval(held)
            waiting = asyncio.ensure_future(second.execute(lease.format(clock)))
            await until_blocked(database)
            let_go = await first.fetchval("SELECT clock_timestamp()")
            await first.execute("COMMIT")
            await waiting

            assert await taken_before(first, let_go) is expired


async def taken_before(connection: asyncpg.Connection, instant: Any) -> Any:
    """Was the lease counted from before `instant`?"""
    born = "SELECT lease_until - interval '1 millisecond' < $1 FROM scratch.leases"
    return await connection.fetchval(born, instant)


async def test_a_deletion_in_one_statement_leaves_an_orphan(database: EventStoreDatabase) -> None:
    """H24, p25: the wrong form misses the event that it waited for."""
    delete = """
        WITH gone AS (UPDATE scratch.fences SET fence = 9 WHERE id = 1 RETURNING id)
        DELETE FROM scratch.log USING gone WHERE log.id = gone.id
    """
    held = "UPDATE scratch.fences SET fence = 1 WHERE id = 1 RETURNING id"

    async with two_sessions(database.owner) as (first, second):
        await first.execute("BEGIN")
        await first.fetchval(held)
        await first.execute("INSERT INTO scratch.log VALUES (1, 2, 'LATE')")
        waiting = asyncio.ensure_future(second.execute(delete))
        await until_blocked(database)
        await first.execute("COMMIT")
        await waiting

        assert await second.fetchval("SELECT count(*) FROM scratch.log") == 1


async def test_a_deletion_behind_an_append_leaves_nothing(
    database: EventStoreDatabase, store: PostgresEventStore
) -> None:
    """H24, p25: the head is locked first, what it has is removed in a statement after that."""
    credential = (await store.claim(claim(await started(store), 1))).credential
    end = (NewEvent(kind="EXECUTION_COMPLETED"),)
    await store.append(c.Append(**NAME, credential=credential, batch_id="e", events=end))
    note = """
        WITH h AS (UPDATE event_store.heads SET last_seq = last_seq + 1 RETURNING head, last_seq, token)
        INSERT INTO event_store.events (head, seq, kind, payload, fence, kernel, recorded_at)
        SELECT head, last_seq, 'ANNOTATED', 'null', token, true, 0 FROM h RETURNING seq
    """

    async with two_sessions(database.owner) as (first, second):
        delete = store.delete(c.Delete(**NAME, incarnation=credential.incarnation))
        await behind(database, first, note, delete)

        assert await second.fetchval("SELECT count(*) FROM event_store.events") == 0


async def test_two_claims_of_one_token_are_one_claim(database: EventStoreDatabase, store: PostgresEventStore) -> None:
    """H24, p15, I24: the second waits, is judged on the row that the first left, and is refused."""
    start = await started(store)
    held = f"""
        SELECT token FROM event_store.claim_v1(
            'n', 'e', {start.execution.incarnation}, 0, 'hash', 'rival', 60000, 8, 200, 30000
        )
    """

    async with two_sessions(database.owner) as (first, _):
        with pytest.raises(LeaseHeld):
            await behind(database, first, held, store.claim(claim(start, 1)))


@pytest.mark.parametrize("first_wins", [True, False])
async def test_a_late_append_and_an_acquire_do_not_both_win(
    database: EventStoreDatabase, store: PostgresEventStore, first_wins: bool
) -> None:
    """H24, p15: both change the head, so whoever waits meets what the other left; in either order."""
    credential, park = await parked(store)
    acquire = f"""
        SELECT token FROM event_store.acquire_if_parked_v1(
            'n', 'e', {credential.incarnation}, {park.park_seq}, {credential.token}, 'hash', 'rival', 60000
        )
    """
    late = store.append(
        c.Append(**NAME, credential=credential, batch_id="l", events=(NewEvent(kind="STEP_COMPLETED"),))
    )

    async with two_sessions(database.owner) as (first, second):
        if first_wins:
            with pytest.raises(Stale):
                await behind(database, first, acquire, late)
        else:
            assert (await late).last_seq == 3
            assert await second.fetchval(acquire) is not None  # a late event never blocks an acquirer
        fences = await second.fetch("SELECT fence FROM event_store.events ORDER BY seq")

    assert {row["fence"] for row in fences} <= {0, int(credential.token)}


async def test_unsorted_locks_deadlock(database: EventStoreDatabase) -> None:
    """H27, p13, p22: the wrong form, so that the next test means something."""
    lock = "SELECT 1 FROM scratch.fences WHERE id = $1 FOR UPDATE"

    async with two_sessions(database.owner) as (first, second):
        await first.execute("BEGIN")
        await second.execute("BEGIN")
        await first.execute(lock, 1)
        await second.execute(lock, 2)
        both = await asyncio.gather(first.execute(lock, 2), second.execute(lock, 1), return_exceptions=True)

    assert sum(isinstance(each, asyncpg.DeadlockDetectedError) for each in both) == 1


async def test_batches_the_other_way_round_do_not_deadlock(store: PostgresEventStore) -> None:
    """H27: heads are locked in one statement in one order, however a batch names them."""
    credentials = []
    for name in ("a", "b"):
        at = {"namespace": Namespace("n"), "execution_id": ExecutionId(name)}
        start = await store.start(c.Start(**at, batch_id="s", workflow="w", queue="q"))
        call = c.Claim(
            **at,
            incarnation=start.execution.incarnation,
            token=start.token,
            nonce=Nonce("n" * 32),
            owner="o",
            ttl_ms=60_000,
        )
        credentials.append((await store.claim(call)).credential)
    items = [
        c.AppendItem(execution_id=credential.execution_id, credential=credential, events=(NewEvent(kind="Noted"),))
        for credential in credentials
    ]
    batches = [
        c.AppendBatch(
            namespace=Namespace("n"), batch_id=f"b{n}", items=tuple(items if n % 2 else list(reversed(items)))
        )
        for n in range(30)
    ]

    answers = await asyncio.gather(*map(store.append_batch, batches))

    assert sorted(answer.items[0].last_seq for answer in answers) == list(range(2, 32))


async def test_a_statement_cache_breaks_behind_a_transaction_pooler(
    postgres: Postgres, database: EventStoreDatabase
) -> None:
    """H29: the wrong way; LOOM_DB_POOLER=transaction switches it off, and then nothing fails."""

    async def count_failures(url: str, cache: int) -> int:
        clients = [await asyncpg.connect(url, statement_cache_size=cache) for _ in range(6)]
        try:
            failures = 0
            for turn in range(40):
                answers = await asyncio.gather(
                    *(client.fetchval(f"SELECT $1::integer + {turn % 5}", turn) for client in clients),
                    return_exceptions=True,
                )
                failures += sum(isinstance(answer, asyncpg.PostgresError) for answer in answers)
            return failures
        finally:
            for client in clients:
                await client.close()

    with running_pgbouncer(postgres, APPLICATION, size=2) as pooler:
        url = f"{pooler}/{database.name}"

        assert await count_failures(url, 0) == 0
        assert await count_failures(url, 100) > 0
