"""The demo's parent on the full stack: a worker frozen in mid-run, its late write refused, and a park that lasts."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

import loom
from fixtures.stack import Stack
from loom.client.event_store import HttpEventStore
from loom.errors import Contended, NotFound
from loom.ids import ExecutionId
from loom.kernel import calls as c
from loom.kernel.heads import Head, RefusalRow, Status
from loom.kernel.parks import MessageWait
from loom.tracing import trace_of
from loom_cli.demo.audit import audit
from loom_cli.demo.evidence import NAMESPACE
from loom_cli.demo.processes import Ground, Troupe

CONTINUE_MS = 20_000
"""Longer than a take-over takes, so that only the last park is a longer one."""
CHILDREN = 12
PATIENCE_S = 90
FROZEN = "worker-2"
STEP_STARTED = 2
"""Where a child's log ends while its step runs."""
UNTRACED = """
CREATE FUNCTION event_store.forget_traces() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN NEW.traceparent := NULL; RETURN NEW; END $$;
CREATE TRIGGER forget_traces BEFORE INSERT ON event_store.outbox
    FOR EACH ROW EXECUTE FUNCTION event_store.forget_traces();
"""
"""The negative control: an outbox that drops `traceparent`."""


class TooLate(Exception):
    """Something that must happen did not."""


class Course:
    """One parent, from its start by a client to its end."""

    def __init__(self, stack: Stack, parent: str, say: Callable[[str], None]) -> None:
        self._ground = Ground(stack.folder, stack.balancers["event-store"].port)
        self._troupe = Troupe(self._ground)
        self._store = HttpEventStore(stack.url)
        self._client = loom.Client(self._store)
        self._say = say
        self._late: ExecutionId | None = None
        self.parent = ExecutionId(parent)
        self.trace_id = ""

    @property
    def _place(self) -> dict[str, object]:
        return {"namespace": NAMESPACE, "execution_id": self.parent}

    async def run(self, names: list[str], *, freeze: bool) -> None:
        """Afterwards `trace_id` is the trace that the start began, and the workers have ended, so all is told."""
        try:
            for worker in ("worker-1", FROZEN, "worker-3"):
                self._troupe.start_worker(worker)
            await self._client.start(audit, names, id=self.parent)
            self.trace_id = await self._read_trace()
            self._say(f"started {self.parent}: one child for each of {len(names)} distributions; trace {self.trace_id}")
            if freeze:
                await self._freeze_a_worker()
            await self._approve(after_ms=CONTINUE_MS if freeze else 0)
            await self._until("the audit has ended", self._has_ended)
            self._say(f"{self.parent} has ended")
        finally:
            await asyncio.to_thread(self._troupe.end)
            await self._store.close()

    async def read_refusals(self) -> list[RefusalRow]:
        """Of the child whose owner was frozen."""
        assert self._late is not None
        store = HttpEventStore(self._ground.url)
        try:
            call = c.ReadOwnership(namespace=NAMESPACE, execution_id=self._late)
            return list((await store.read_ownership(call)).refusals)
        finally:
            await store.close()

    def list_traces(self) -> list[dict[str, Any]]:
        """As a person asks for them."""
        words = ["trace", self.parent, "--json", "--url", self._ground.url]
        said = subprocess.run([sys.executable, "-m", "loom_cli", *words], check=True, capture_output=True, text=True)
        listed: list[dict[str, Any]] = json.loads(said.stdout)["traces"]
        return listed

    async def _read_trace(self) -> str:
        log = await self._store.read_events(c.ReadEvents(**self._place, limit=1))
        traceparent = log.events[0].traceparent
        if traceparent is None:
            raise TooLate("the start was not traced")
        return trace_of(traceparent)

    async def _freeze_a_worker(self) -> None:
        await self._until(f"{FROZEN} is frozen in mid-run", self._freeze_in_mid_run)
        owner = self._owner()
        (held,) = await self._held_by(owner)
        self._late = held.execution_id
        self._say(f"froze {FROZEN} with SIGSTOP while it ran {held.execution_id} under token {held.token.shown}")
        await self._until("somebody took over", lambda: self._is_taken_over(owner))
        self._troupe.wake(FROZEN)
        self._say(f"its lease ran out and somebody took over: woke {FROZEN}")
        await self._until("its late write is refused", self._is_refused)

    async def _freeze_in_mid_run(self) -> bool:
        """Frozen for good only if it is at a step; else it is woken and met again."""
        if not (self._ground.folder / f"{FROZEN}.owner").exists() or not await self._steps():
            return False
        self._troupe.freeze(FROZEN)
        if await self._steps():
            return True
        self._troupe.wake(FROZEN)
        return False

    async def _steps(self) -> bool:
        """Is the worker at a step, so that it has something to write when it wakes?"""
        return [head.last_seq for head in await self._held_by(self._owner())] == [STEP_STARTED]

    def _owner(self) -> str:
        return (self._ground.folder / f"{FROZEN}.owner").read_text()

    async def _held_by(self, owner: str) -> list[Head]:
        call = c.ListExecutions(namespace=NAMESPACE, statuses=(Status.RUNNING,), workflow="demo.audit-one")
        return [head for head in (await self._store.list_executions(call)).items if head.owner == owner]

    async def _is_taken_over(self, owner: str) -> bool:
        assert self._late is not None
        head = await self._store.read_head(c.ReadHead(namespace=NAMESPACE, execution_id=self._late))
        return head.owner != owner

    async def _is_refused(self) -> bool:
        return bool(await self.read_refusals())

    async def _approve(self, *, after_ms: int) -> None:
        await self._until("the audit waits for approval", lambda: self._waits_for_approval(after_ms))
        await self._client.send(self.parent, "approved", {"by": "the trace"}, id="approval-1")
        self._say(f"sent the approval{f', {after_ms / 1000:g} s after the park' if after_ms else ''}")

    async def _waits_for_approval(self, for_ms: int) -> bool:
        """For so long?"""
        head = await self._store.read_head(c.ReadHead(**self._place))
        waits = any(isinstance(wait, MessageWait) for wait in head.waits)
        return waits and time.time() * 1000 > head.status_at + for_ms

    async def _has_ended(self) -> bool:
        return (await self._store.read_head(c.ReadHead(**self._place))).ended

    async def _until(self, what: str, holds: Callable[[], Awaitable[bool]]) -> None:
        """Look every 20 ms; TooLate after so many seconds."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            try:
                if await holds():
                    return
            except (Contended, NotFound):
                pass
            await asyncio.sleep(0.02)
        raise TooLate(f"waited {PATIENCE_S} s in vain: {what}; the logs are in {self._ground.folder}")
