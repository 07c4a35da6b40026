"""A pool of Postgres connections: how one is opened, how long a call may take, and what its faults mean.

Every statement is one of a file's, with bind parameters; no call leaves anything behind on a connection, so that any
pooler may stand between.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import asyncpg

from loom.errors import Busy, LoomError, StoreUnavailable
from loom_servicekit.settings import Pooler
from loom_servicekit.tables import Row, Statement, read_own, read_statements

if TYPE_CHECKING:
    from asyncpg.pool import PoolConnectionProxy

CALL_S = 10.0
HOLD_S = 3.0
CONNECT_S = 5.0
POOL_SIZE = 10

Connection: TypeAlias = "PoolConnectionProxy[asyncpg.Record]"

_T = TypeVar("_T")
Work = Callable[[Connection], Awaitable[_T]]

ISOLATION_WRONG = "LM001"
MEANINGS: dict[str, tuple[type[LoomError], str]] = {
    ISOLATION_WRONG: (
        StoreUnavailable,
        "the transaction is not READ COMMITTED: `loom migrate` sets the role's",
    ),
    "40001": (Busy, "the transaction met another"),
    "40P01": (Busy, "the transaction met others in a circle"),
    "55P03": (Busy, "a lock did not come free in time"),
    "57014": (Busy, "the statement took too long"),
    **dict.fromkeys(
        ("28000", "3F000", "42501", "42703", "42883", "42P01"),
        (StoreUnavailable, "the database is not as this program needs it: run `loom migrate`"),
    ),
}
"""What a SQLSTATE says to the caller: the one table, Loom's own states (LM) included. All of it may be tried again."""

FAULTS = (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)
"""What the driver raises; the last one where a connection goes between two messages."""

_SQL = read_statements(__package__, "migrating")
_LOST = ("08", "25006", "53", "55000", "57P01", "57P02", "57P03", "57P05")
_READ_ONLY = "25006"
_NO_SUCH_PLAN = (asyncpg.InvalidCachedStatementError, asyncpg.InvalidSQLStatementNameError)


class OutcomeUnknown(StoreUnavailable):
    """The connection went while a call was under way: it has happened whole or not at all. Read, then decide."""


class _Connection(asyncpg.Connection):
    """A call leaves nothing behind, so nothing is reset between two: a round trip less, and no state to leak."""

    def get_reset_query(self) -> str:
        return ""


async def open_pool(
    url: str, *, pooler: Pooler = "session", size: int = POOL_SIZE, call_s: float = CALL_S, first: int = 1
) -> Database:
    """A pool on this database. Connections are opened as they are needed, the `first` ones now: with 0 it need not be
    there yet, and calls are unavailable until it is.

    Raises StoreUnavailable where the database cannot be reached or its role is not as `loom migrate` leaves it.
    """
    pool = asyncpg.create_pool(
        url,
        min_size=first,
        max_size=size,
        init=_check_role,
        timeout=CONNECT_S,
        connection_class=_Connection,
        max_inactive_connection_lifetime=0,
        statement_cache_size=0 if pooler == "transaction" else 512,
    )
    try:
        await pool
    except FAULTS as error:
        await _close_now(pool)
        raise _meaning(error, began=False) from error
    except StoreUnavailable:
        await _close_now(pool)
        raise
    return Database(pool, call_s)


async def _close_now(pool: asyncpg.Pool[asyncpg.Record]) -> None:
    pool.terminate()
    await asyncio.sleep(0)


async def _check_role(connection: asyncpg.Connection[asyncpg.Record]) -> None:
    """H25: the role's settings hold behind any pooler, and every connection looks."""
    level = await connection.fetchval("SHOW default_transaction_isolation")
    if level != "read committed":
        raise StoreUnavailable(f"new transactions would be {level.upper()}: run `loom migrate`, it sets the role's")


class DatabaseHeld(Exception):
    """Another process holds the database for itself."""


@asynccontextmanager
async def hold_database(url: str, *, wait_s: float = HOLD_S) -> AsyncIterator[None]:
    """Hold the database against others who ask for the same, until the end of this process, however that comes.

    The lock is a connection's, so `url` leads past any pooler. Raises DatabaseHeld, StoreUnavailable.
    """
    try:
        connection = await asyncpg.connect(url, timeout=CONNECT_S)
    except FAULTS as error:
        raise _meaning(error, began=False) from error
    try:
        deadline = time.monotonic() + wait_s
        while not await connection.fetchval(_SQL["hold"]):
            if time.monotonic() > deadline:
                raise DatabaseHeld("another process serves this database")
            await asyncio.sleep(0.05)
        yield
    finally:
        connection.terminate()


class Database:
    """A pool, and the bounds and meanings of every call on it. Made by `open_pool`."""

    def __init__(self, pool: asyncpg.Pool[asyncpg.Record], call_s: float) -> None:
        self._pool = pool
        self._call_s = call_s
        self._calls: set[asyncio.Task[object]] = set()

    async def run(self, work: Work[_T]) -> _T:
        """Do `work` on a connection of its own, within the bound of a call; faults come as errors of the store.

        A caller that is cancelled leaves the work to its end: a cancelled commit would be a commit that nobody waits
        for (H23). Past the bound the connection is aborted. Raises Busy, StoreUnavailable, OutcomeUnknown.
        """
        call = asyncio.ensure_future(self._run(work))
        self._calls.add(call)
        call.add_done_callback(self._ended)
        return await asyncio.shield(call)

    async def renew(self) -> None:
        """Every connection is opened anew before it is used again, with what the role's settings are by then."""
        await self._pool.expire_connections()

    async def close(self) -> None:
        """Wait for the calls under way, then close; what will not end is aborted."""
        if self._calls:
            await asyncio.wait(self._calls, timeout=self._call_s)
        try:
            await asyncio.wait_for(self._pool.close(), CONNECT_S)
        except TimeoutError:
            self._pool.terminate()

    def _ended(self, call: asyncio.Task[object]) -> None:
        self._calls.discard(call)
        if not call.cancelled():
            call.exception()  # seen: whoever asked may be gone

    async def _run(self, work: Work[_T]) -> _T:
        deadline = time.monotonic() + self._call_s
        connection = await self._acquire()
        try:
            return await self._bounded(connection, work, deadline)
        except FAULTS as error:
            await self._judge(connection, error)
            raise _meaning(error, began=True) from error
        finally:
            await self._pool.release(connection)

    async def _acquire(self) -> Connection:
        try:
            return await self._pool.acquire(timeout=self._call_s)
        except TimeoutError as error:
            raise Busy(f"no connection came free within {self._call_s:g} s") from error
        except FAULTS as error:
            raise _meaning(error, began=False) from error

    async def _bounded(self, connection: Connection, work: Work[_T], deadline: float) -> _T:
        job = asyncio.ensure_future(self._prepared_again(connection, work))
        done, _ = await asyncio.wait({job}, timeout=max(0.0, deadline - time.monotonic()))
        if not done:
            _abort(connection)
            await asyncio.wait({job}, timeout=1)
            job.cancel()
            raise OutcomeUnknown(f"the database did not answer for {self._call_s:g} s")
        return job.result()

    async def _prepared_again(self, connection: Connection, work: Work[_T]) -> _T:
        """A plan of before a migration or of another connection is prepared again, and the call made once more."""
        try:
            return await work(connection)
        except _NO_SUCH_PLAN:
            await connection.reload_schema_state()
            return await work(connection)

    async def _judge(self, connection: Connection, error: Exception) -> None:
        """H28: a lost connection is dropped; one that became read-only is of a demoted primary, as are the others."""
        if is_lost(error):
            _abort(connection)
        if getattr(error, "sqlstate", None) == _READ_ONLY:
            await self._pool.expire_connections()


class PostgresTables:
    """A service's own tables in its schema of a database."""

    def __init__(self, database: Database, package: str, schema: str) -> None:
        self._database = database
        self._queries = read_own(package, schema)

    async def write(self, *statements: Statement) -> list[Row]:
        async def work(connection: Connection) -> list[Row]:
            if len(statements) == 1:
                return await self._run(connection, *statements[0])
            async with connection.transaction(isolation="read_committed"):
                return [await self._run(connection, *statement) for statement in statements][-1]

        return await self._database.run(work)

    async def read(self, query: str, *parameters: Any) -> list[Row]:
        return await self._database.run(lambda connection: self._run(connection, query, parameters))

    async def _run(self, connection: Connection, query: str, parameters: tuple[Any, ...]) -> list[Row]:
        return [dict(row) for row in await connection.fetch(self._queries[query], *parameters)]


def _abort(connection: Connection) -> None:
    with suppress(asyncpg.InterfaceError):  # closed meanwhile
        connection.terminate()


def is_lost(error: Exception) -> bool:
    """Is the connection of no more use?"""
    state = getattr(error, "sqlstate", None)
    return state is None or state.startswith(_LOST)


def _meaning(error: Exception, *, began: bool) -> LoomError:
    state = getattr(error, "sqlstate", None) or ""
    if state in MEANINGS:
        kind, said = MEANINGS[state]
        return kind(said)
    if is_lost(error):
        kind = OutcomeUnknown if began else StoreUnavailable
        return kind(f"the database cannot be used now ({state or type(error).__name__})")
    raise error
