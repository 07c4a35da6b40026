"""Candidates by ending and age, archived, then deleted by the store's own rule, or left with the reason (I45)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable

from loom import tracing
from loom.errors import Contended, ExecutionGone, ExecutionPinned, IllegalTransition, LeaseHeld, NotFound
from loom.ids import Instant
from loom.kernel.calls import Delete, ListExecutions, ListNamespaces, MarkArchived
from loom.kernel.heads import Head
from loom.stores.event_store import EventStore
from loom_retention.archive import FolderArchive
from loom_retention.catalogue import Catalogue
from loom_retention.policy import ENDINGS, Keep, ended_before
from loom_retention.reports import Fate, Ledger, Report
from loom_servicekit.counts import Count
from loom_servicekit.duties import Duty
from loom_servicekit.loops import Loop

log = logging.getLogger(__name__)

PAGE = 100
LOOK_MS = 30_000
DUTY_TTL_MS = 60_000

FAILED = Count("loom.retention.failed", "Logs that were kept because they could not be read")

Proceed = Callable[[], Awaitable[bool]]


class Sweeper:
    """One sweep over all namespaces. Without an `archive`, logs are deleted without being kept anywhere."""

    def __init__(self, store: EventStore, catalogue: Catalogue, archive: FolderArchive | None, default: Keep) -> None:
        self._store = store
        self._catalogue = catalogue
        self._archive = archive
        self._default = default

    async def run(self, now: Instant, *, dry_run: bool, proceed: Proceed) -> Report:
        """Judge every candidate. `now` is the event store's instant; `proceed` is asked before each page.

        Raises what says that the store cannot be reached: nothing is known then. What fails for one log is reported.
        """
        ledger = Ledger()
        finished = True
        async for page in self._pages(now):
            finished = await proceed()
            if not finished:
                break
            if page:
                await self._settle_all(page, now, dry_run, ledger)
        return ledger.report(now, dry_run=dry_run, finished=finished)

    async def _pages(self, now: Instant) -> AsyncIterator[tuple[Head, ...]]:
        policies = await self._catalogue.read_policies(self._default)
        for namespace in (await self._store.list_namespaces(ListNamespaces())).items:
            for ending in ENDINGS:
                before = ended_before(policies.of(namespace), ending, now)
                cursor, more = None, before is not None
                while more:
                    page = await self._store.list_executions(
                        ListExecutions(
                            namespace=namespace, statuses=(ending,), ended_before=before, cursor=cursor, limit=PAGE
                        )
                    )
                    cursor, more = page.cursor, page.cursor is not None
                    yield page.items

    async def _settle_all(self, page: tuple[Head, ...], now: Instant, dry_run: bool, ledger: Ledger) -> None:
        with tracing.retention_sweep(len(page)):
            for head in page:
                fate, why = await self._settle(head, now, dry_run)
                ledger.add(head, fate, why)

    async def _settle(self, head: Head, now: Instant, dry_run: bool) -> tuple[Fate, str]:
        try:
            return await self._delete(head, now, dry_run)
        except (ExecutionGone, NotFound):
            return "deleted", "it was gone already"
        except (ExecutionPinned, IllegalTransition) as error:
            return "kept", error.detail
        except Contended:
            raise
        except Exception as error:
            FAILED.add()
            log.exception("%s stays: its log could not be archived or deleted", head.ref)
            return "failed", f"{type(error).__name__}: {error}"

    async def _delete(self, head: Head, now: Instant, dry_run: bool) -> tuple[Fate, str]:
        """Asked first, so that what is pinned is not archived again and again; then in earnest, with what was seen."""
        await self._store.delete(_deletion(head, dry_run=True))
        if dry_run:
            return "would-go", f"it {head.ending} before what the policy keeps, and nothing pins it"
        if self._archive is not None:
            await self._keep_copy(self._archive, head, now)
        await self._store.delete(_deletion(head, archived=self._archive is not None))
        return "deleted", "archived" if self._archive is not None else "not archived: no archive is set"

    async def _keep_copy(self, archive: FolderArchive, head: Head, now: Instant) -> None:
        """The files, their entry in the catalogue, then the mark: each only after the one before."""
        manifest = await archive.write(self._store, head, now)
        await self._catalogue.write_archive(manifest)
        await self._store.mark_archived(
            MarkArchived(
                namespace=head.namespace,
                execution_id=head.execution_id,
                incarnation=head.incarnation,
                seq=manifest.last_seq,
            )
        )


def _deletion(head: Head, *, archived: bool = False, dry_run: bool = False) -> Delete:
    return Delete(
        namespace=head.namespace,
        execution_id=head.execution_id,
        incarnation=head.incarnation,
        archived=archived,
        dry_run=dry_run,
    )


class Rounds:
    """Sweeps every `every_ms`, by one replica; a duty that is overdue at start runs at once. Also on request."""

    def __init__(self, store: EventStore, sweeper: Sweeper, catalogue: Catalogue, owner: str, *, every_ms: int) -> None:
        self._sweeper = sweeper
        self._catalogue = catalogue
        self._every_ms = every_ms
        self._duty = Duty(store, "retention.sweep", owner, ttl_ms=DUTY_TTL_MS)
        self._loop = Loop("retention", self.step, every_ms=min(every_ms, LOOK_MS))
        self._turn = asyncio.Lock()

    async def start(self) -> None:
        await self._loop.start()

    async def stop(self) -> None:
        await self._loop.stop()
        await self._duty.give_up()

    def why_unready(self) -> str | None:
        return self._loop.why_unready()

    async def step(self) -> None:
        """A sweep, if it is ours and due."""
        async with self._turn:
            if await self._duty.hold() and self._duty.is_due(self._every_ms):
                report = await self._sweep(dry_run=False)
                if report.finished:
                    self._duty.ran()

    async def sweep(self, *, dry_run: bool) -> Report:
        """A sweep now. Raises LeaseHeld when another replica has the duty."""
        async with self._turn:
            if not await self._duty.hold():
                raise LeaseHeld("another replica has the duty of sweeping: ask that one, or wait")
            return await self._sweep(dry_run=dry_run)

    async def _sweep(self, *, dry_run: bool) -> Report:
        report = await self._sweeper.run(self._duty.now(), dry_run=dry_run, proceed=self._duty.hold)
        await self._catalogue.write_sweep(report)
        return report
