"""The event store's port over one Postgres database."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import replace
from random import Random, SystemRandom
from typing import Any, TypeVar

from loom.errors import Busy, Contended, LoomError
from loom.ids import ExecutionRef, Instant, Sequence
from loom.kernel import calls as c
from loom.kernel.change import Change, Moment, Refusal, RemoveRows, View
from loom.kernel.guards import living
from loom.kernel.heads import Duty, Head
from loom.kernel.hints import Envelope
from loom.kernel.limits import Limits
from loom.kernel.wellformed import check_wellformed
from loom.stores.deciding import DecidingStore, stamped
from loom_event_store import rows
from loom_event_store.postgres import claims, reads, tallies
from loom_event_store.postgres.calls import call_function
from loom_event_store.postgres.cold import Decided, Locks, change_under, contended, decide_cold
from loom_event_store.postgres.moments import Incarnations, Moments
from loom_event_store.postgres.statements import Statements
from loom_event_store.tallies import Polls, Refusals, refused
from loom_servicekit.postgres import Connection, Database, OutcomeUnknown, open_pool
from loom_servicekit.settings import Pooler

RECORD_WAIT_S = 0.2

_T = TypeVar("_T")
_Call = TypeVar("_Call")


class PostgresEventStore(DecidingStore):
    """`EventStore`, `Outbox` and `TestHook`. Any number of processes share the database; each call is one transaction.

    A write waits for a lock for as long as the role's `lock_timeout`, then Busy (a resume: ResumeContended). A
    cancelled call goes on to its end, and its outcome is unknown to whoever cancelled it: ask again.
    """

    def __init__(self, database: Database, *, limits: Limits | None = None, rng: Random | None = None) -> None:
        self._database = database
        self._limits = limits or Limits()
        self._incarnations = Incarnations(rng or SystemRandom())
        self._polls = Polls()
        self._refusals = Refusals()
        self._records: set[asyncio.Task[None]] = set()

    @classmethod
    async def open(
        cls,
        url: str,
        *,
        pooler: Pooler = "session",
        size: int = 10,
        limits: Limits | None = None,
        rng: Random | None = None,
    ) -> PostgresEventStore:
        """The store in this database, which `loom migrate` made. Raises StoreUnavailable.

        `rng` makes incarnations (a seeded one repeats a run).
        """
        return cls(await open_pool(url, pooler=pooler, size=size), limits=limits, rng=rng)

    async def close(self) -> None:
        """End the calls that have begun, then the connections."""
        if self._records:
            await asyncio.wait(self._records)
        await self._database.close()

    async def _write(self, call: c.WriteCall) -> Any:
        check_wellformed(call, self._limits)
        try:
            done = await self._settled(call, self._work(call))
        except Busy as error:
            raise contended(call, error) from error
        if isinstance(done, Decided):
            return await self._answered(done)
        return done

    def _work(self, call: c.WriteCall) -> Callable[[Connection], Awaitable[Any]]:
        async def work(connection: Connection) -> Any:
            answer = await call_function(connection, call, self._limits, self._incarnations)
            return answer or await decide_cold(connection, call, self._limits, self._incarnations)

        return work

    async def _answered(self, decided: Decided) -> Any:
        decision = decided.decision
        if isinstance(decision, Refusal):
            await self._record_refusal(decision, decided.at)
            raise decision.error
        self._refusals.forget(write.head for write in decision.writes if isinstance(write, RemoveRows))
        if isinstance(decision.answer, LoomError):
            raise decision.answer
        return decision.answer

    async def _settled(self, call: c.WriteCall, work: Callable[[Connection], Awaitable[_T]]) -> _T:
        """An unknown outcome is settled by asking again, where the call is known by what it wrote."""
        try:
            return await self._database.run(work)
        except OutcomeUnknown:
            if not is_recognised(call):
                raise
            return await self._database.run(work)

    async def _record_refusal(self, refusal: Refusal, now: Instant) -> None:
        row = refused(refusal, now)
        if refusal.head is not None and row is not None:
            self._refusals.count(refusal.head, row)
            await self._beside(self._record_refusals())

    async def _record_refusals(self) -> None:
        due = self._refusals.take_due()
        if due:
            try:
                await self._database.run(lambda connection: tallies.record_refusals(connection, due))
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
        return await self._database.run(lambda connection: claims.claim_runnable(connection, call, self._moments()))

    async def _record_polls(self, call: c.ClaimRunnable) -> None:
        due = self._polls.take_due(call)
        if due:
            with suppress(Contended):
                await self._database.run(lambda connection: tallies.record_polls(connection, due))

    async def _read(self, read: Callable[[Statements, _Call], Awaitable[_T]], call: _Call) -> _T:
        check_wellformed(call, self._limits)

        async def work(connection: Connection) -> _T:
            async with connection.transaction(isolation="repeatable_read", readonly=True):
                return await read(Statements(connection), call)

        return await self._database.run(work)

    async def _look(self, read: Callable[[Statements, _Call], Awaitable[_T]], call: _Call) -> _T:
        """For what reads by one statement, which is a snapshot by itself."""
        check_wellformed(call, self._limits)
        return await self._database.run(lambda connection: read(Statements(connection), call))

    def _moments(self) -> Moments:
        return Moments(self._limits, self._incarnations)

    async def read_head(self, call: c.ReadHead) -> Head:
        return await self._look(reads.read_head, call)

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
        return await self._read(lambda at, call: reads.read_why(at, call, self._limits), call)

    async def list_executions(self, call: c.ListExecutions) -> c.Executions:
        return await self._look(reads.list_executions, call)

    async def count_executions(self, call: c.CountExecutions) -> c.Counts:
        return await self._look(reads.count_executions, call)

    async def list_namespaces(self, call: c.ListNamespaces) -> c.Namespaces:
        return await self._look(reads.list_namespaces, call)

    async def list_due(self, call: c.ListDue) -> c.DueList:
        return await self._read(lambda at, call: reads.list_due(at, call, self._moments()), call)

    async def read_duty(self, call: c.ReadDuty) -> Duty:
        return await self._look(reads.read_duty, call)

    async def read_store(self, call: c.ReadStore) -> c.StoreInfo:
        return await self._look(lambda at, call: reads.read_store(at, self._limits), call)

    async def read_outbox(self, after: int, limit: int) -> tuple[tuple[int, Envelope], ...]:
        return await self._database.run(
            lambda connection: Statements(connection).all("read_outbox", rows.numbered_envelope_from, after, limit)
        )

    async def delete_outbox(self, ids: tuple[int, ...]) -> None:
        await self._database.run(lambda connection: Statements(connection).run("delete_outbox", list(ids)))

    async def refuse_outbox(self, ids: tuple[int, ...], *, attempts_max: int) -> tuple[int, ...]:
        return await self._database.run(
            lambda connection: Statements(connection).all("refuse_outbox", rows.id_from, list(ids), attempts_max)
        )

    async def append_stamped(self, execution: ExecutionRef, kind: str) -> Sequence:
        name = (execution.namespace, execution.execution_id)
        seqs: list[Sequence] = []

        def decided_by(view: View, moment: Moment) -> Change:
            head = living(view.head_named(*name), execution.incarnation)
            seqs.append(Sequence(head.last_seq + 1))
            return stamped(view, head, kind, moment)

        locks = Locks(frozenset({name}))
        await self._database.run(
            lambda connection: change_under(connection, locks, decided_by, self._limits, self._incarnations)
        )
        return seqs[-1]

    async def raise_epoch(self) -> int:
        return await self._database.run(lambda connection: Statements(connection).number("raise_epoch"))


def is_recognised(call: c.WriteCall) -> bool:
    """Does the store know a repeat of this very call by what it wrote? Then it may be made again blindly (I3)."""
    return any(getattr(call, name, None) is not None for name in ("batch_id", "message_id", "nonce"))
