"""The timer store over SQL: one set of statements, in the subset that SQLite and Postgres share."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

from loom.clock import Clock
from loom.ids import ExecutionId, Incarnation, Instant, Namespace, Sequence
from loom.kernel.raw_json import encode
from loom.stores.timer_store import (
    ClaimDue,
    Defer,
    ReadTimers,
    Retire,
    Retired,
    RetirePassed,
    Schedule,
    Scheduled,
    Timer,
    TimerKey,
    Timers,
)
from loom_servicekit.sqlite import SqliteFile, open_file, read_queries

SCHEMA_VERSION = 1

_T = TypeVar("_T")
Run = Callable[..., sqlite3.Cursor]
"""Run the statement of a name with its parameters, $1 first, inside the transaction at hand."""


def open_timers(path: Path | str, clock: Clock | None = None) -> SqliteTimerStore:
    """The store in this file, made if need be; blocks while it is opened."""
    schema = (files("loom_timers") / "schema.sql").read_text("utf-8")
    return SqliteTimerStore(open_file(path, schema, version=SCHEMA_VERSION, clock=clock))


class SqliteTimerStore:
    """One file, shared by any number of processes."""

    def __init__(self, file: SqliteFile) -> None:
        self._file = file
        self._queries = read_queries("loom_timers")

    async def schedule(self, call: Schedule) -> Scheduled:
        due = (call.wake_at, call.delay_ms or 0)
        rows = await self._write(lambda run: run("schedule", *_key(call.key), *due, call.attempt).fetchall())
        return Scheduled(advanced=bool(rows))

    async def claim_due(self, call: ClaimDue) -> Timers:
        parameters = (encode(call.kinds), call.claim, call.limit, call.ttl_ms)
        rows = await self._write(lambda run: run("claim_due", *parameters).fetchall())
        return Timers(items=tuple(sorted(map(_timer, rows), key=lambda row: row.wake_at)))

    async def defer(self, call: Defer) -> None:
        await self._write(lambda run: run("defer", *_key(call.key), call.claim, call.delay_ms).rowcount)

    async def retire(self, call: Retire) -> Retired:
        gone = await self._write(lambda run: run("retire", *_key(call.key), call.claim).rowcount)
        return Retired(retired=gone > 0)

    async def retire_passed(self, call: RetirePassed) -> int:
        execution = call.execution
        named = (execution.namespace, execution.execution_id, int(execution.incarnation))
        return await self._write(lambda run: run("retire_passed", *named, call.park_seq).rowcount)

    async def read(self, call: ReadTimers) -> Timers:
        rows = await self._file.read(
            lambda connection, now: self._run(connection, now)("read", call.namespace, call.execution_id).fetchall()
        )
        return Timers(items=tuple(map(_timer, rows)))

    def close(self) -> None:
        self._file.close()

    async def _write(self, work: Callable[[Run], _T]) -> _T:
        return await self._file.write(lambda connection, now: work(self._run(connection, now)))

    def _run(self, connection: sqlite3.Connection, now: Instant) -> Run:
        connection.create_function("loom_now", 0, lambda: now, deterministic=True)

        def run(query: str, *parameters: Any) -> sqlite3.Cursor:
            return connection.execute(self._queries[query], {str(n): value for n, value in enumerate(parameters, 1)})

        return run


def _key(key: TimerKey) -> tuple[str, str, int, int, str, str]:
    return (key.namespace, key.execution_id, int(key.incarnation), key.park_seq, key.wait_id, key.kind)


def _timer(row: sqlite3.Row) -> Timer:
    return Timer(
        key=TimerKey(
            namespace=Namespace(row["namespace"]),
            execution_id=ExecutionId(row["execution_id"]),
            incarnation=Incarnation(row["incarnation"]),
            park_seq=Sequence(row["park_seq"]),
            wait_id=row["wait_id"],
            kind=row["kind"],
        ),
        wake_at=Instant(row["wake_at"]),
        attempt=row["attempt"],
        claim=row["claim"],
        claimed_until=Instant(row["claimed_until"]) if row["claim"] else None,
    )
