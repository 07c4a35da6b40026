"""One SQLite file that many processes share: how it is opened, read and written, and what time it is in it.

SQLite blocks, so its connections live in threads: one that writes, a few that read the last committed state (WAL).
"""

from __future__ import annotations

import asyncio
import os
import random
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeVar

from loom.clock import Clock, SystemClock
from loom.errors import Busy, StoreUnavailable
from loom.ids import Instant
from loom_servicekit.tables import Row, Statement, read_own, read_statements

BUSY_MS = 5_000
BOOTSTRAP_MS = 5_000
READERS = 2

_T = TypeVar("_T")
Work = Callable[[sqlite3.Connection, Instant], _T]
"""What is done inside one transaction, at the file's instant."""

_BUSY_CODES = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})

_CLOCK_SCHEMA = """
CREATE TABLE IF NOT EXISTS clock (only INTEGER PRIMARY KEY CHECK (only = 1), seen_at INTEGER NOT NULL);
INSERT OR IGNORE INTO clock (only, seen_at) VALUES (1, 0);
"""


class NewerFile(Exception):
    """The file was written by a newer program, whose rules this one does not know."""


def open_file(
    path: Path | str,
    migrations: Sequence[str],
    *,
    clock: Clock | None = None,
    busy_ms: int = BUSY_MS,
    readers: int = READERS,
) -> SqliteFile:
    """Open the file, making it if need be; any number of processes may do so at once (I55).

    Its version is how many of the `migrations` it has had: the rest are run in one BEGIN IMMEDIATE. NewerFile if it
    has had more than there are. Blocks for at most BOOTSTRAP_MS, then Busy. `busy_ms` bounds later waits for a lock.
    """
    writer = _until_not_busy(lambda: _bootstrap(path, migrations))
    pool = [_until_not_busy(lambda: _connect(path)) for _ in range(readers)]
    seen_at = _until_not_busy(lambda: _seen_at(writer))
    return SqliteFile(writer, pool, FileClock(clock or SystemClock(), seen_at), busy_ms, Place(path))


def read_migrations(package: str) -> tuple[str, ...]:
    """The package's `migrations/`, in order."""
    return tuple(read_statements(package, "migrations").values())


class FileClock:
    """The host's wall clock, never below the greatest value the file has seen (design, law 5).

    Where the wall clock is behind the file, time goes on from there by what the wall clock moves: leases still end.
    """

    def __init__(self, wall: Clock, seen_at: Instant) -> None:
        self._wall = wall
        self._last = (wall.now(), seen_at)  # one attribute: the threads share it

    def now(self, connection: sqlite3.Connection) -> Instant:
        """The instant of the transaction that `connection` is in."""
        wall, (last_wall, last) = self._wall.now(), self._last
        now = Instant(max(wall, _seen_at(connection), last + max(0, wall - last_wall)))
        self._last = (wall, now)
        return now

    def record(self, connection: sqlite3.Connection, now: Instant) -> None:
        """Keep `now` in the file, for every process and every later start."""
        connection.execute("UPDATE clock SET seen_at = max(seen_at, ?)", (now,))


def _seen_at(connection: sqlite3.Connection) -> Instant:
    (seen_at,) = connection.execute("SELECT seen_at FROM clock").fetchone()
    return Instant(seen_at)


class Place:
    """Where the file and its log lie. Open files outlive their names: what is written after `rm` would be lost."""

    def __init__(self, path: Path | str) -> None:
        self._path = os.path.abspath(path)
        self._found = self._look()

    def check(self) -> None:
        """Raises StoreUnavailable unless the paths still name the files that were opened."""
        if self._look() != self._found:
            raise StoreUnavailable(f"{self._path} was moved or deleted while in use: put it back, or start again")

    def _look(self) -> list[tuple[int, int]]:
        try:
            statuses = [os.stat(self._path + suffix) for suffix in ("", "-wal")]
        except FileNotFoundError:
            return []
        return [(status.st_dev, status.st_ino) for status in statuses]


class SqliteFile:
    """The connections of one process to one file. Made by `open_file`."""

    def __init__(
        self,
        writer: sqlite3.Connection,
        readers: list[sqlite3.Connection],
        clock: FileClock,
        busy_ms: int,
        place: Place,
    ) -> None:
        self._place = place
        self._clock = clock
        self._busy_ms = busy_ms
        self._writers = _Lane("sqlite-write", [writer])
        self._readers = _Lane("sqlite-read", readers)

    async def write(self, work: Work[_T]) -> _T:
        """Do `work` in one BEGIN IMMEDIATE transaction: committed and flushed when this returns, or nothing happened.

        Waits at most `busy_ms` for its turn in this process and for the lock, then Busy. A cancelled caller leaves a
        transaction that did not begin, or one that its thread finishes.
        """
        return await self._run(self._writers, self._write, work)

    async def read(self, work: Work[_T]) -> _T:
        """Do `work` on a snapshot of the last committed state."""
        return await self._run(self._readers, self._read, work)

    def close(self) -> None:
        """End what has begun, then close. Blocks as long as that takes; what has not begun is cancelled."""
        self._readers.close()
        self._writers.close()

    async def _run(self, lane: _Lane, act: Callable[[sqlite3.Connection, Work[_T], float], _T], work: Work[_T]) -> _T:
        deadline = time.monotonic() + self._busy_ms / 1000
        job = lane.submit(lambda connection: act(connection, work, deadline))
        answer = asyncio.wrap_future(job)
        try:
            done, _ = await asyncio.wait([answer], timeout=self._busy_ms / 1000)
            if not done and job.cancel():
                raise Busy(f"other writes of this process were before it for {self._busy_ms} ms")
            return await answer
        except asyncio.CancelledError:
            answer.cancel()
            raise

    def _write(self, connection: sqlite3.Connection, work: Work[_T], deadline: float) -> _T:
        with _translated(), _transaction(connection, "BEGIN IMMEDIATE", deadline):
            self._place.check()
            now = self._clock.now(connection)
            before = connection.total_changes
            answer = work(connection, now)
            if connection.total_changes != before:
                self._clock.record(connection, now)
            return answer

    def _read(self, connection: sqlite3.Connection, work: Work[_T], deadline: float) -> _T:
        with _translated(), _transaction(connection, "BEGIN", deadline):
            self._place.check()
            return work(connection, self._clock.now(connection))


class SqliteTables:
    """A service's own tables in one file; `loom_now()` is the file's instant."""

    def __init__(self, file: SqliteFile, package: str) -> None:
        self._file = file
        self._queries = read_own(package, None)

    async def write(self, *statements: Statement) -> list[Row]:
        return await self._file.write(lambda connection, now: self._run(connection, now, statements))

    async def read(self, query: str, *parameters: Any) -> list[Row]:
        return await self._file.read(lambda connection, now: self._run(connection, now, [(query, parameters)]))

    def close(self) -> None:
        self._file.close()

    def _run(self, connection: sqlite3.Connection, now: Instant, statements: Sequence[Statement]) -> list[Row]:
        connection.create_function("loom_now", 0, lambda: now, deterministic=True)
        rows: list[Row] = []
        for query, parameters in statements:
            named = {str(number): value for number, value in enumerate(parameters, 1)}
            rows = [dict(row) for row in connection.execute(self._queries[query], named)]
        return rows


class _Lane:
    """As many threads as connections: a job takes a connection, uses it alone, and puts it back."""

    def __init__(self, name: str, connections: list[sqlite3.Connection]) -> None:
        self._connections = connections
        self._threads = ThreadPoolExecutor(len(connections), thread_name_prefix=name)
        self._free: SimpleQueue[sqlite3.Connection] = SimpleQueue()
        for connection in connections:
            self._free.put(connection)

    def submit(self, job: Callable[[sqlite3.Connection], _T]) -> Future[_T]:
        try:
            return self._threads.submit(self._run, job)
        except RuntimeError as error:  # after `close`
            raise StoreUnavailable("the file is closed") from error

    def close(self) -> None:
        self._threads.shutdown(cancel_futures=True)
        for connection in self._connections:
            connection.close()

    def _run(self, job: Callable[[sqlite3.Connection], _T]) -> _T:
        connection = self._free.get()
        try:
            return job(connection)
        finally:
            self._free.put(connection)


@contextmanager
def _transaction(connection: sqlite3.Connection, begin: str, deadline: float) -> Iterator[None]:
    left_ms = int((deadline - time.monotonic()) * 1000)
    if left_ms <= 0:
        raise Busy("its turn came too late")
    connection.execute(f"PRAGMA busy_timeout = {left_ms}")
    connection.execute(begin)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def _translated() -> Iterator[None]:
    """SQLite's own errors as the store's: a lock is Busy; a full disk or a damaged file is StoreUnavailable."""
    try:
        yield
    except (sqlite3.ProgrammingError, sqlite3.IntegrityError, sqlite3.DataError):  # a fault of the program's
        raise
    except sqlite3.DatabaseError as error:
        if _is_busy(error):
            raise Busy("another process holds the file's lock") from error
        raise StoreUnavailable(f"the file cannot be used: {error}") from error


def _is_busy(error: sqlite3.DatabaseError) -> bool:
    return (getattr(error, "sqlite_errorcode", 0) & 0xFF) in _BUSY_CODES


def _until_not_busy(attempt: Callable[[], _T]) -> _T:
    """The whole attempt again after any busy code: the driver's time-out does not cover the switch to WAL (I55)."""
    deadline = time.monotonic() + BOOTSTRAP_MS / 1000
    while True:
        try:
            return attempt()
        except sqlite3.DatabaseError as error:
            if not _is_busy(error):
                raise StoreUnavailable(f"the file cannot be opened: {error}") from error
            if time.monotonic() > deadline:
                raise Busy(f"the file could not be opened for {BOOTSTRAP_MS} ms") from error
        time.sleep(random.uniform(0.001, 0.03))


def _bootstrap(path: Path | str, migrations: Sequence[str]) -> sqlite3.Connection:
    connection = _connect(path)
    try:
        if _version(connection) != len(migrations):
            connection.execute("BEGIN IMMEDIATE")
            _migrate(connection, migrations)
            connection.execute("COMMIT")
        return connection
    except BaseException:
        connection.close()
        raise


def _migrate(connection: sqlite3.Connection, migrations: Sequence[str]) -> None:
    """Under the lock: what another process did meanwhile is not done again."""
    found, known = _version(connection), len(migrations)
    if found > known:
        raise NewerFile(f"the file has version {found}, this program knows {known}: use a newer program")
    for script in (_CLOCK_SCHEMA, *migrations[found:]):
        for statement in _statements(script):
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {known}")


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def _statements(script: str) -> Iterator[str]:
    """One by one: `executescript` would commit first."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _connect(path: Path | str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=1.0, isolation_level=None, check_same_thread=False, cached_statements=512
    )
    try:
        (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
        if mode != "wal":
            raise StoreUnavailable(f"{path} does not take a write-ahead log: put it on a local disk")
        connection.execute("PRAGMA synchronous = FULL")
        connection.row_factory = sqlite3.Row
        return connection
    except BaseException:
        connection.close()
        raise
