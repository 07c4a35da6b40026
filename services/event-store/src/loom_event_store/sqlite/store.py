"""The event store's port over one SQLite file."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random, SystemRandom
from sqlite3 import Connection
from typing import Any, TypeVar

from loom.clock import Clock
from loom.errors import Busy, Contended, LoomError, ResumeContended
from loom.ids import ExecutionRef, Instant, Sequence
from loom.kernel import calls as c
from loom.kernel.change import Change, Refusal, RemoveRows
from loom.kernel.decide import decide
from loom.kernel.guards import living
from loom.kernel.heads import Duty, Head
from loom.kernel.hints import Envelope
from loom.kernel.limits import Limits
from loom.kernel.raw_json import encode
from loom.kernel.wellformed import check_wellformed
from loom.stores.deciding import DecidingStore, stamped
from loom.tracing import current
from loom_event_store import rows
from loom_event_store.sqlite import claims, reads
from loom_event_store.sqlite.snapshot import Snapshot, snapshot_of
from loom_event_store.sqlite.tallies import record_polls, record_refusals
from loom_event_store.sqlite.writes import apply
from loom_event_store.tallies import Polls, Refusals, refused
from loom_servicekit.sqlite import BUSY_MS, SqliteFile, open_file, read_migrations

RECORD_WAIT_S = 0.2

_T = TypeVar("_T")
_Call = TypeVar("_Call")


class SqliteEventStore(DecidingStore):
    """`EventStore`, `Outbox` and `TestHook`. Any number of processes may share the file; each call is one transaction.

    A write waits at most the busy bound and a second for its turn, then Busy (a resume: ResumeContended). A cancelled
    call has happened whole or not at all, and its outcome is unknown: ask again.
    """

    def __init__(self, file: SqliteFile, *, limits: Limits | None = None, rng: Random | None = None) -> None:
        self._file = file
        self._limits = limits or Limits()
        self._rng = rng or SystemRandom()
        self._polls = Polls()
        self._refusals = Refusals()
        self._records: set[asyncio.Task[None]] = set()

    @classmethod
    def open(
        cls,
        path: Path | str,
        *,
        clock: Clock | None = None,
        limits: Limits | None = None,
        busy_ms: int = BUSY_MS,
        rng: Random | None = None,
    ) -> SqliteEventStore:
        """The store in this file, made if need be. Blocks while it opens, for at most 5 s; then Busy.

        `busy_ms` bounds every wait for the file's lock; `rng` makes incarnations (a seeded one repeats a run).
        """
        file = open_file(path, read_migrations(__package__), clock=clock, busy_ms=busy_ms)
        return cls(file, limits=limits, rng=rng)

    def close(self) -> None:
        """End the transactions that have begun and close the file; blocks as long as that takes."""
        self._file.close()

    async def _write(self, call: c.WriteCall) -> Any:
        check_wellformed(call, self._limits)
        decision, now = await self._decide(call)
        if isinstance(decision, Refusal):
            await self._record_refusal(decision, now)
            raise decision.error
        self._refusals.forget(write.head for write in decision.writes if isinstance(write, RemoveRows))
        if isinstance(decision.answer, LoomError):
            raise decision.answer
        return decision.answer

    async def _decide(self, call: c.WriteCall) -> tuple[Change | Refusal, Instant]:
        def work(at: Snapshot) -> tuple[Change | Refusal, Instant]:
            decision = decide(at.view, call, at.moment)
            if isinstance(decision, Change):
                apply(at.statements, decision.writes)
            return decision, at.moment.now

        try:
            return await self._change(work)
        except Busy as error:
            if isinstance(call, c.Resume):
                raise ResumeContended(error.detail, execution_id=call.execution_id, attempts=1) from error
            raise

    async def _change(self, work: Callable[[Snapshot], _T]) -> _T:
        return await self._file.write(self._on_snapshot(work))

    def _on_snapshot(self, work: Callable[[Snapshot], _T]) -> Callable[[Connection, Instant], _T]:
        traceparent = current()  # here: the transaction runs on a thread that knows no trace
        return lambda connection, now: work(snapshot_of(connection, now, self._limits, self._rng, traceparent))

    async def _record_refusal(self, refusal: Refusal, now: Instant) -> None:
        row = refused(refusal, now)
        if refusal.head is not None and row is not None:
            self._refusals.count(refusal.head, row)
            await self._beside(self._record_refusals())

    async def _record_refusals(self) -> None:
        due = self._refusals.take_due()
        if due:
            try:
                await self._change(lambda at: record_refusals(at.statements, due))
            except Contended:
                self._refusals.count_again(due)

    async def _beside(self, record: Coroutine[Any, Any, None]) -> None:
        """Best effort: goes on when its caller hangs up, and keeps none waiting for a lock."""
        task = asyncio.ensure_future(record)
        self._records.add(task)
        task.add_done_callback(self._records.discard)
        await asyncio.wait([task], timeout=RECORD_WAIT_S)

    async def claim_runnable(self, call: c.ClaimRunnable) -> c.Claims:
        check_wellformed(call, self._limits)
        await self._beside(self._record_polls(call))
        if not await self._file.read(self._on_snapshot(lambda at: claims.is_anything_for(at, call))):
            return c.Claims(items=())
        return await self._change(lambda at: claims.claim_runnable(at, call))

    async def _record_polls(self, call: c.ClaimRunnable) -> None:
        due = self._polls.take_due(call)
        if due:
            with suppress(Contended):
                await self._change(lambda at: record_polls(at.statements, due, at.moment.now))

    async def _read(self, read: Callable[[Snapshot, _Call], _T], call: _Call) -> _T:
        check_wellformed(call, self._limits)
        return await self._file.read(self._on_snapshot(lambda at: read(at, call)))

    async def read_head(self, call: c.ReadHead) -> Head:
        return await self._read(reads.read_head, call)

    async def read_events(self, call: c.ReadEvents) -> c.Log:
        return await self._read(reads.read_events, call)

    async def read_park(self, call: c.ReadPark) -> c.OpenPark:
        return await self._read(reads.read_park, call)

    async def read_inbox(self, call: c.ReadInbox) -> c.Inbox:
        return await self._read(reads.read_inbox, call)

    async def read_children(self, call: c.ReadChildren) -> c.Children:
        return await self._read(reads.read_children, call)

    async def read_pins(self, call: c.ReadPins) -> c.Pins:
        return await self._read(reads.read_pins, call)

    async def read_ownership(self, call: c.ReadOwnership) -> c.Ownership:
        head, recorded = await self._read(reads.read_ownership, call)
        return replace(recorded, refusals=self._refusals.joined(head, recorded.refusals))

    async def read_why(self, call: c.ReadWhy) -> c.Why:
        return await self._read(reads.read_why, call)

    async def list_executions(self, call: c.ListExecutions) -> c.Executions:
        return await self._read(reads.list_executions, call)

    async def count_executions(self, call: c.CountExecutions) -> c.Counts:
        return await self._read(reads.count_executions, call)

    async def list_namespaces(self, call: c.ListNamespaces) -> c.Namespaces:
        return await self._read(reads.list_namespaces, call)

    async def list_due(self, call: c.ListDue) -> c.DueList:
        return await self._read(reads.list_due, call)

    async def read_duty(self, call: c.ReadDuty) -> Duty:
        return await self._read(reads.read_duty, call)

    async def read_store(self, call: c.ReadStore) -> c.StoreInfo:
        return await self._read(reads.read_store, call)

    async def read_outbox(self, after: int, limit: int) -> tuple[tuple[int, Envelope], ...]:
        page = {"after": after, "limit": limit}
        return await self._file.read(
            self._on_snapshot(lambda at: at.statements.all("read_outbox", rows.numbered_envelope_from, page))
        )

    async def delete_outbox(self, ids: tuple[int, ...]) -> None:
        await self._change(lambda at: at.statements.run("delete_outbox", {"ids": encode(ids)}))

    async def refuse_outbox(self, ids: tuple[int, ...], *, attempts_max: int) -> tuple[int, ...]:
        def work(at: Snapshot) -> tuple[int, ...]:
            named = {"ids": encode(ids)}
            at.statements.run("refuse_outbox", {**named, "attempts_max": attempts_max, "now": at.moment.now})
            return at.statements.all("dead_of", rows.id_from, named)

        return await self._change(work)

    async def append_stamped(self, execution: ExecutionRef, kind: str) -> Sequence:
        def work(at: Snapshot) -> Sequence:
            named = at.view.head_named(execution.namespace, execution.execution_id)
            head = living(named, execution.incarnation)
            apply(at.statements, stamped(at.view, head, kind, at.moment).writes)
            return Sequence(head.last_seq + 1)

        return await self._change(work)

    async def raise_epoch(self) -> int:
        def work(at: Snapshot) -> int:
            at.statements.run("raise_epoch", {})
            return at.moment.epoch + 1

        return await self._change(work)
