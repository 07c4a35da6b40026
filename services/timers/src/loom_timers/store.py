"""The timer store over SQL: one set of statements for SQLite and Postgres."""

from __future__ import annotations

from pathlib import Path

from loom.clock import Clock
from loom.ids import ExecutionId, Incarnation, Instant, Namespace, Sequence
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
from loom_servicekit.sqlite import SqliteTables, open_file, read_migrations
from loom_servicekit.tables import Row, Tables

PACKAGE = "loom_timers"


def open_timers(path: Path | str, clock: Clock | None = None) -> SqliteTimerStore:
    """The store in this file, made if need be; blocks while it is opened."""
    return SqliteTimerStore(SqliteTables(open_file(path, read_migrations(PACKAGE), clock=clock), PACKAGE))


class SqlTimerStore:
    """`TimerStore` in tables that any number of processes share."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def schedule(self, call: Schedule) -> Scheduled:
        row = (*_key(call.key), call.wake_at, call.delay_ms or 0, call.attempt, call.traceparent)
        return Scheduled(advanced=bool(await self._tables.write(("schedule", row))))

    async def claim_due(self, call: ClaimDue) -> Timers:
        kinds = "".join(f",{kind}," for kind in call.kinds)
        rows = await self._tables.write(("claim_due", (kinds, call.claim, call.limit, call.ttl_ms)))
        return Timers(items=tuple(sorted(map(_timer, rows), key=lambda row: row.wake_at)))

    async def defer(self, call: Defer) -> None:
        await self._tables.write(("defer", (*_key(call.key), call.claim, call.delay_ms)))

    async def retire(self, call: Retire) -> Retired:
        return Retired(retired=bool(await self._tables.write(("retire", (*_key(call.key), call.claim)))))

    async def retire_passed(self, call: RetirePassed) -> int:
        execution = call.execution
        named = (execution.namespace, execution.execution_id, int(execution.incarnation))
        return len(await self._tables.write(("retire_passed", (*named, call.park_seq))))

    async def read(self, call: ReadTimers) -> Timers:
        rows = await self._tables.read("read", call.namespace, call.execution_id)
        return Timers(items=tuple(map(_timer, rows)))


class SqliteTimerStore(SqlTimerStore):
    """In a file of its own."""

    def __init__(self, tables: SqliteTables) -> None:
        super().__init__(tables)
        self.close = tables.close


def _key(key: TimerKey) -> tuple[str, str, int, int, str, str]:
    return (key.namespace, key.execution_id, int(key.incarnation), key.park_seq, key.wait_id, key.kind)


def _timer(row: Row) -> Timer:
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
        traceparent=row["traceparent"],
        made_at=Instant(row["made_at"]),
    )
