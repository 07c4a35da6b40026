"""Sweeps do what heads and edges say must be done, whether or not anybody was told: they are the guarantee (I38)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Literal

from loom import tracing
from loom.errors import Contended, ExecutionGone, NotFound, NotParked
from loom.kernel.calls import Due, ListDue
from loom.stores.event_store import EventStore
from loom_servicekit.counts import Count
from loom_servicekit.duties import Duty
from loom_servicekit.loops import Loop

log = logging.getLogger(__name__)

EVERY_MS = 5_000
PAGE = 500
AT_ONCE = 16

Remedy = Callable[[Due], Awaitable[bool]]
"""What is done about a finding; true if that changed something. A refusal means that somebody else was first."""

FOUND = Count("loom.sweep.found", "What only a sweep found; near 0 while the bus works")


class Sweep:
    """Every EVERY_MS, by one replica: all pages of one listing, each finding remedied, at most AT_ONCE side by side."""

    def __init__(
        self,
        store: EventStore,
        duty: Duty,
        about: Literal["overdue", "satisfied", "cancels", "deadlines", "closes"],
        remedy: Remedy,
        *,
        grace_ms: int = 0,
        every_ms: int = EVERY_MS,
    ) -> None:
        self._store = store
        self._duty = duty
        self._about = about
        self._remedy = remedy
        self._grace_ms = grace_ms
        self._loop = Loop(f"sweep of {about}", self.step, every_ms=every_ms)
        self.found = 0

    async def start(self) -> None:
        await self._loop.start()

    async def stop(self) -> None:
        await self._loop.stop()
        await self._duty.give_up()

    def why_unready(self) -> str | None:
        return self._loop.why_unready()

    async def step(self) -> None:
        """One round. A finding that fails keeps nobody else waiting; its error is raised when the others are done."""
        failures: list[Exception] = []
        cursor, more, before = None, True, self.found
        while more and await self._duty.hold():
            page = await self._store.list_due(
                ListDue(about=self._about, grace_ms=self._grace_ms, cursor=cursor, limit=PAGE)
            )
            failures += await self._remedy_all(page.items)
            cursor, more = page.cursor, page.cursor is not None
            self._duty.ran()
        if self.found > before:
            log.info("sweep of %s: %d found that no hint had brought about", self._about, self.found - before)
        if failures:
            self._duty.forget()
            raise failures[0]

    async def _remedy_all(self, findings: Sequence[Due]) -> list[Exception]:
        failures: list[Exception] = []
        for first in range(0, len(findings), AT_ONCE):
            some = findings[first : first + AT_ONCE]
            failures += [failure for failure in await asyncio.gather(*map(self._try, some)) if failure]
        return failures

    async def _try(self, finding: Due) -> Exception | None:
        try:
            with tracing.sweep(finding.execution, self._about):
                acted = await self._remedy(finding)
        except (NotParked, ExecutionGone, NotFound):
            return None
        except Contended as error:
            return error
        except Exception as error:
            log.warning("sweep of %s: %r failed: %r", self._about, finding, error)
            return error
        if acted:
            self.found += 1
            FOUND.add(about=self._about)
        return None
