"""The demo's course: start, kill, freeze, kill the server, start it again, approve, judge."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Awaitable, Callable
from pathlib import Path

import loom
from loom.errors import Contended, NotFound
from loom.ids import ExecutionId
from loom.kernel import calls as c
from loom.kernel.heads import Head, Status
from loom.kernel.parks import MessageWait
from loom.tracing import trace_of
from loom_cli.demo.acknowledged import RecordingStore, read_acknowledged
from loom_cli.demo.audit import audit, installed
from loom_cli.demo.evidence import NAMESPACE, Record, read_records
from loom_cli.demo.processes import Ground, Troupe, free_port, troupe
from loom_cli.demo.verdict import Findings, judge, late_writes
from loom_cli.output import Output
from loom_cli.sheets import Sheet
from loom_cli.tables import list_events, tell_head
from loom_cli.tokens import draw_tenures, list_tenures
from loom_servicekit.telemetry import exporting, tracing_settings

PATIENCE_S = 120
PARENT = ExecutionId("audit")


class TooLate(Exception):
    """Something that must happen did not."""


class Course:
    """One run of the demo, step by step, told on stderr."""

    def __init__(self, ground: Ground, players: Troupe, output: Output) -> None:
        self._ground = ground
        self._players = players
        self._output = output
        self._store = RecordingStore(ground.url, ground.folder / "acknowledged-demo.jsonl")
        self._client = loom.Client(self._store)
        self._began = time.monotonic()
        self.kills = 0
        self.frozen = ""

    def _say(self, text: str) -> None:
        self._output.note(f"{time.monotonic() - self._began:5.1f} s  {text}")

    async def run(self) -> Findings:
        """Everything that happens to the audit, and what is left of it."""
        names = installed()
        await self._start(names)
        await self._kill_a_worker(after=len(names) // 8)
        await self._freeze_a_worker()
        await self._kill_the_server(after=len(names) // 2)
        await self._approve()
        await self._await_end()
        return await self._collect(names)

    async def _start(self, names: list[str]) -> None:
        self._players.start_server()
        await self._until("the event store is ready", self._is_ready)
        for worker in ("worker-1", "worker-2", "worker-3"):
            self._players.start_worker(worker)
        await self._client.start(audit, names, id=PARENT)
        self._say(f"started {PARENT}: one child for each of {len(names)} distributions; three workers, leases of 2 s")

    async def _is_ready(self) -> bool:
        await self._store.read_store(c.ReadStore())
        return True

    async def _kill_a_worker(self, *, after: int) -> None:
        await self._until(f"{after} children have completed", lambda: self._have_completed(after))
        await self._until("worker-1 runs something", lambda: self._runs_something("worker-1"))
        self._players.kill("worker-1")
        self.kills += 1
        self._say("killed worker-1 with SIGKILL; worker-4 takes its place")
        self._players.start_worker("worker-4")

    async def _freeze_a_worker(self) -> None:
        await self._until("worker-2 is frozen in mid-run", self._freeze_in_mid_run)
        self.frozen = self._owner("worker-2")
        held = await self._held_by(self.frozen)
        self._say(f"froze worker-2 with SIGSTOP while it ran {held[0].execution_id} under token {held[0].token.shown}")
        await self._until("somebody took over", lambda: self._is_taken_over(held[0].execution_id))
        self._players.wake("worker-2")
        self._say("its lease ran out and somebody took over: woke worker-2")
        await self._until("its late write is refused", lambda: self._is_refused(held[0].execution_id))

    async def _freeze_in_mid_run(self) -> bool:
        """Frozen for good only if it holds something; else it is woken and met again."""
        if not await self._runs_something("worker-2"):
            return False
        self._players.freeze("worker-2")
        if await self._held_by(self._owner("worker-2")):
            return True
        self._players.wake("worker-2")
        return False

    async def _is_taken_over(self, execution_id: ExecutionId) -> bool:
        head = await self._store.read_head(c.ReadHead(namespace=NAMESPACE, execution_id=execution_id))
        return head.owner != self.frozen

    async def _is_refused(self, execution_id: ExecutionId) -> bool:
        call = c.ReadOwnership(namespace=NAMESPACE, execution_id=execution_id)
        ownership = await self._store.read_ownership(call)
        for row in ownership.refusals:
            self._say(f"refused its {row.surface}: token {row.token.shown}, {row.current_token.shown} is current")
        return bool(ownership.refusals)

    async def _kill_the_server(self, *, after: int) -> None:
        await self._until(f"{after} children have completed", lambda: self._have_completed(after))
        killed = self._players.kill_server()
        self.kills += 1
        self._say(f"killed {killed} with SIGKILL; {self._what_follows()}")
        self._players.start_server()
        await self._until("the event store answers again", self._is_ready)

    def _what_follows(self) -> str:
        if self._ground.stack is not None:
            return "the other replica answers, and it comes back"
        return f"starting it again on the same {'folder' if self._ground.postgres is None else 'database'}"

    async def _approve(self) -> None:
        await self._until("the audit waits for approval", self._waits_for_approval)
        await self._client.send(PARENT, "approved", {"by": "demo"}, id="approval-1")
        self._say("all children are in, the durable sleep is over: sent the approval")

    async def _waits_for_approval(self) -> bool:
        park = await self._store.read_park(c.ReadPark(namespace=NAMESPACE, execution_id=PARENT))
        return any(isinstance(wait, MessageWait) for wait in park.waits)

    async def _await_end(self) -> None:
        await self._until("the audit has ended", self._has_ended)
        self._say("the audit has ended")

    async def _has_ended(self) -> bool:
        head = await self._store.read_head(c.ReadHead(namespace=NAMESPACE, execution_id=PARENT))
        return head.ended

    async def _collect(self, names: list[str]) -> Findings:
        records = await read_records(self._store, PARENT)
        return Findings(
            expected=names,
            parent=records[0],
            children=records[1:],
            paid=self._ground.side_file.read_text().splitlines(),
            acknowledged=read_acknowledged(self._ground.acknowledged),
            frozen=self.frozen,
            kills=self.kills,
        )

    async def _have_completed(self, count: int) -> bool:
        counts = (await self._store.count_executions(c.CountExecutions(namespace=NAMESPACE))).counts
        return counts.get("completed", 0) >= count

    async def _runs_something(self, worker: str) -> bool:
        path = self._ground.folder / f"{worker}.owner"
        return path.exists() and bool(await self._held_by(path.read_text()))

    def _owner(self, worker: str) -> str:
        return (self._ground.folder / f"{worker}.owner").read_text()

    async def _held_by(self, owner: str) -> list[Head]:
        call = c.ListExecutions(namespace=NAMESPACE, statuses=(Status.RUNNING,), workflow="demo.audit-one")
        return [head for head in (await self._store.list_executions(call)).items if head.owner == owner]

    async def _until(self, what: str, holds: Callable[[], Awaitable[bool]]) -> None:
        """Look every 50 ms, through restarts of the server; TooLate after two minutes."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            try:
                if await holds():
                    return
            except (Contended, NotFound):
                pass
            await asyncio.sleep(0.05)
        raise TooLate(f"waited {PATIENCE_S} s in vain: {what}; the logs are in {self._ground.folder}")


def show(findings: Findings, output: Output) -> bool:
    """The table, and the timeline of the child that was taken over. True if every claim holds."""
    claims = judge(findings)
    output.note("")
    rows = tuple(("holds" if claim.holds else "BROKEN", claim.text, claim.found) for claim in claims)
    output.result(None, Sheet(("", "claim", "found"), rows, "What the store says afterwards"))
    if (trace := trace_id(findings.parent)) is not None:
        output.note(f"trace {trace}")
    refused = {execution_id for execution_id, _ in late_writes(findings)}
    for record in findings.children:
        if record.head.execution_id in refused:
            _show_record(record, output)
            break
    return all(claim.holds for claim in claims)


def trace_id(record: Record) -> str | None:
    """Of the trace in which the execution began; None where nobody traced it."""
    traceparent = record.events[0].traceparent
    return None if traceparent is None else trace_of(traceparent)


def _show_record(record: Record, output: Output) -> None:
    events = {event.seq: event for event in record.events}
    output.result(
        None,
        tell_head(record.head),
        list_events(record.events, record.head.created_at),
        draw_tenures(list_tenures(record.ownership, events)),
    )


async def main() -> int:
    """0 if everything holds, 1 if a claim is broken or something did not happen."""
    parser = ArgumentParser(prog="loom_cli.demo", description=main.__doc__)
    parser.add_argument("--postgres", metavar="URL", help="keep state in this database, by its owner's URL")
    parser.add_argument("--stack", type=Path, metavar="FILE", help="run on the stack that this file tells of")
    args = parser.parse_args()
    output = Output()
    folder = Path(tempfile.mkdtemp(prefix="loom-demo-"))
    ground = Ground(folder, free_port(), args.postgres, args.stack)
    with troupe(ground) as players:
        try:
            findings = await Course(ground, players, output).run()
        except TooLate as late:
            output.note(f"loom: {late}")
            return 1
        holds = show(findings, output)
    output.note("Everything holds." if holds else f"Something is broken; everything is kept in {folder}")
    return 0 if holds else 1


if __name__ == "__main__":
    with exporting("client", tracing_settings(os.environ, ratio=1.0)):
        result = asyncio.run(main())
    sys.exit(result)
