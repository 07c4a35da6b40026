"""The file that many processes share."""

from __future__ import annotations

import asyncio
import multiprocessing
import sqlite3
import threading
import time
from pathlib import Path

import pytest

from loom.clock import ManualClock
from loom.errors import Busy, StoreUnavailable
from loom_servicekit.sqlite import NewerFile, SqliteFile, open_file
from servicekit.booting import SCHEMA, boot

DAY_MS = 24 * 3600 * 1000
PROCESSES = 8
ROUNDS = 20


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the file will be."""
    return tmp_path / "store.db"


def _note(text: str):
    return lambda connection, now: connection.execute("INSERT INTO notes (text) VALUES (?)", (text,))


def _notes(connection: sqlite3.Connection, now: int) -> list[str]:
    return [text for (text,) in connection.execute("SELECT text FROM notes ORDER BY note")]


def _pragma(name: str):
    return lambda connection, now: connection.execute(f"PRAGMA {name}").fetchone()[0]


def _lock(path: Path) -> sqlite3.Connection:
    rival = sqlite3.connect(path, isolation_level=None)
    rival.execute("BEGIN IMMEDIATE")
    return rival


async def test_a_commit_is_flushed_and_readers_are_not_blocked(path: Path):
    """Design 3: WAL and synchronous=FULL, on every connection."""
    file = open_file(path, [SCHEMA])

    for run in (file.read, file.write):
        assert await run(_pragma("journal_mode")) == "wal"
        assert await run(_pragma("synchronous")) == 2

    rival = _lock(path)
    assert await file.read(_notes) == []
    rival.close()
    file.close()


async def test_what_raises_leaves_nothing(path: Path):
    """I23: all of a transaction or nothing of it."""
    file = open_file(path, [SCHEMA])

    def half(connection: sqlite3.Connection, now: int) -> None:
        _note("half")(connection, now)
        raise LookupError

    with pytest.raises(LookupError):
        await file.write(half)
    await file.write(_note("whole"))

    assert await file.read(_notes) == ["whole"]
    file.close()


async def test_a_write_behind_a_foreign_lock_is_busy_within_the_bound_and_a_second(path: Path):
    """Issue 3: a write never waits longer than the bound and 1 s, then `busy`; after the lock it goes through."""
    file = open_file(path, [SCHEMA], busy_ms=200)
    rival = _lock(path)

    began = time.monotonic()
    with pytest.raises(Busy):
        await file.write(_note("late"))
    waited = time.monotonic() - began
    rival.execute("ROLLBACK")
    await file.write(_note("free"))

    assert 0.15 <= waited < 1.2
    assert await file.read(_notes) == ["free"]
    rival.close()
    file.close()


async def test_a_queue_of_writes_in_one_process_is_busy_within_the_bound_too(path: Path):
    """Issue 3: waiting for the process' own writer counts: ten writes do not wait ten bounds."""
    file = open_file(path, [SCHEMA], busy_ms=200)
    rival = _lock(path)

    began = time.monotonic()
    answers = await asyncio.gather(*(file.write(_note("late")) for _ in range(10)), return_exceptions=True)
    waited = time.monotonic() - began
    rival.execute("ROLLBACK")

    assert [type(answer) for answer in answers] == [Busy] * 10
    assert waited < 1.2
    assert await file.read(_notes) == []
    rival.close()
    file.close()


async def test_a_cancelled_write_is_whole_or_absent(path: Path):
    """Design 3: never cancel a commit: the one that had begun finishes, the one that waited never begins."""
    file = open_file(path, [SCHEMA])
    started, go = threading.Event(), threading.Event()

    def two_notes(connection: sqlite3.Connection, now: int) -> None:
        _note("begun, 1")(connection, now)
        started.set()
        go.wait(5)
        _note("begun, 2")(connection, now)

    begun = asyncio.create_task(file.write(two_notes))
    waiting = asyncio.create_task(file.write(_note("waiting")))
    await asyncio.to_thread(started.wait, 5)

    begun.cancel()
    waiting.cancel()
    answers = await asyncio.gather(begun, waiting, return_exceptions=True)
    go.set()
    await file.write(_note("next"))

    assert [type(answer) for answer in answers] == [asyncio.CancelledError] * 2
    assert await file.read(_notes) == ["begun, 1", "begun, 2", "next"]
    file.close()


async def test_a_closed_file_is_unavailable(path: Path):
    """A service that stops answers what still comes in with an error of the table."""
    file = open_file(path, [SCHEMA])
    file.close()

    for run in (file.read, file.write):
        with pytest.raises(StoreUnavailable):
            await run(_notes)


async def _seen(file: SqliteFile) -> int:
    def write(connection: sqlite3.Connection, now: int) -> int:
        _note("tick")(connection, now)
        return now

    return await file.write(write)


async def test_the_clock_does_not_fall_when_the_file_is_opened_again_a_day_earlier(path: Path):
    """Law 5, I26: not below the greatest value seen, and it goes on from there: leases still end."""
    file = open_file(path, [SCHEMA], clock=ManualClock(5 * DAY_MS))
    last = await _seen(file)
    file.close()

    clock = ManualClock(4 * DAY_MS)
    file = open_file(path, [SCHEMA], clock=clock)
    at_first = await _seen(file)
    file.close()
    file = open_file(path, [SCHEMA], clock=clock)
    clock.advance(10_000)
    later = await _seen(file)
    clock.advance(DAY_MS)
    caught_up = await _seen(file)
    file.close()

    assert last == at_first == 5 * DAY_MS
    assert later == last + 10_000
    assert caught_up == 5 * DAY_MS + DAY_MS + 10_000


async def test_the_clock_does_not_fall_when_the_wall_clock_steps_back(path: Path):
    """Law 5: a step back stands still once and moves on."""
    clock = ManualClock(DAY_MS)
    file = open_file(path, [SCHEMA], clock=clock)

    before = await _seen(file)
    clock.advance(-60_000)
    stepped = await _seen(file)
    clock.advance(500)
    after = await _seen(file)

    assert (before, stepped, after) == (DAY_MS, DAY_MS, DAY_MS + 500)
    file.close()


async def test_what_another_process_saw_is_seen(path: Path):
    """Law 5: the greatest value *the file* has seen, whoever wrote it; time is not counted twice."""
    ahead, behind = ManualClock(2 * DAY_MS), ManualClock(DAY_MS)
    one = open_file(path, [SCHEMA], clock=ahead)
    other = open_file(path, [SCHEMA], clock=behind)

    first = await _seen(one)
    second = await _seen(other)
    ahead.advance(100)
    behind.advance(100)
    third = await _seen(one)
    fourth = await _seen(other)

    assert (first, second) == (2 * DAY_MS, 2 * DAY_MS)
    assert (third, fourth) == (2 * DAY_MS + 100, 2 * DAY_MS + 100)
    one.close()
    other.close()


def test_a_newer_file_is_refused(path: Path):
    """Operations: rules this program does not know are not applied to a file that needs them."""
    open_file(path, [SCHEMA, "CREATE TABLE more (one INTEGER);"]).close()

    with pytest.raises(NewerFile):
        open_file(path, [SCHEMA])


def test_a_file_that_cannot_be_a_store_says_so(tmp_path: Path):
    """No traceback of the driver: a missing folder, a file of another kind."""
    other = tmp_path / "other.db"
    other.write_bytes(b"not a database, but long enough to be read as the header of one; " * 20)

    for path in (tmp_path / "absent" / "store.db", other):
        with pytest.raises(StoreUnavailable):
            open_file(path, [SCHEMA])


def test_eight_processes_boot_one_file_at_once(tmp_path: Path):
    """I55: 8 processes on an absent file, 20 rounds, no error reaches a caller, and every write is there."""
    context = multiprocessing.get_context("spawn")
    gates = [context.Barrier(PROCESSES) for _ in range(ROUNDS)]
    faults = context.Queue()
    processes = [context.Process(target=boot, args=(tmp_path, gates, faults)) for _ in range(PROCESSES)]

    for process in processes:
        process.start()
    for process in processes:
        process.join(120)

    assert [process.exitcode for process in processes] == [0] * PROCESSES
    assert faults.empty(), faults.get()
    for index in range(ROUNDS):
        connection = sqlite3.connect(tmp_path / f"{index}.db")
        assert connection.execute("SELECT count(*) FROM boots").fetchone() == (PROCESSES,)
        connection.close()


def _move(old: Path, new: Path) -> None:
    old.rename(new)


@pytest.mark.parametrize("rival", [False, True], ids=["deleted", "replaced"])
async def test_nothing_is_acknowledged_once_the_file_has_lost_its_name(tmp_path: Path, rival: bool):
    """Issue 3: no acknowledged write is lost, also when an operator deletes the folder of a running process."""
    folder, away = tmp_path / "data", tmp_path / "away"
    folder.mkdir()
    file = open_file(folder / "store.db", [SCHEMA])
    await file.write(_note("kept"))
    _move(folder, away)
    if rival:
        folder.mkdir()
        open_file(folder / "store.db", [SCHEMA]).close()

    for act in (file.write(_note("lost")), file.read(_notes)):
        with pytest.raises(StoreUnavailable, match=r"store\.db was moved or deleted"):
            await act

    if rival:
        _move(folder, tmp_path / "rival")
    _move(away, folder)
    assert await file.read(_notes) == ["kept"]
    file.close()


async def test_nothing_is_acknowledged_once_the_write_ahead_log_was_deleted(path: Path):
    """Issue 3: what looks like a left-over file holds all that was acknowledged lately."""
    file = open_file(path, [SCHEMA])
    await file.write(_note("kept"))
    log = path.with_name("store.db-wal")

    _move(log, path.with_name("away"))
    with pytest.raises(StoreUnavailable, match="moved or deleted"):
        await file.write(_note("lost"))

    _move(path.with_name("away"), log)
    await file.write(_note("kept too"))
    assert await file.read(_notes) == ["kept", "kept too"]
    file.close()


async def test_a_damaged_file_is_unavailable(path: Path):
    """Design 5: never 500."""
    file = open_file(path, [SCHEMA])

    def find_damage(connection: sqlite3.Connection, now: int) -> None:
        raise sqlite3.DatabaseError("database disk image is malformed")

    for act in (file.write(find_damage), file.read(find_damage)):
        with pytest.raises(StoreUnavailable, match="malformed"):
            await act
    file.close()
