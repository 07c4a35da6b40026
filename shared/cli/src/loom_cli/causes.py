"""Why an execution is not moving: what the store says and what timers know, one chain from the effect to its causes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from loom.errors import ExecutionGone, NotFound, StoreUnavailable
from loom.ids import ExecutionId, ExecutionRef, Incarnation, Namespace
from loom.kernel import calls as c
from loom.kernel.heads import Head
from loom.stores.timer_store import ReadTimers, Timer, TimerRows
from loom_cli.command import Server
from loom_cli.durations import show_instant
from loom_cli.sheets import Sheet

DEPTH_MAX = 8
LINKS_MAX = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """One execution of the chain; `depth` 0 is the one asked about, a child is one deeper than its parent.

    `timers`: the rows about its open park. `timers_known` false: timers could not be asked.
    """

    depth: int
    head: Head
    reasons: tuple[c.Reason, ...]
    timers: tuple[Timer, ...]
    timers_known: bool


async def read_causes(server: Server, namespace: Namespace, execution: ExecutionId) -> tuple[Cause, ...]:
    """The chain, parents before their children. Raises NotFound for the execution asked about only."""
    causes = [await _read_cause(server, 0, namespace, execution)]
    pending = list(_children(causes[0]))
    seen = {causes[0].head.incarnation}
    while pending and len(causes) < LINKS_MAX:
        depth, child = pending.pop(0)
        if child.incarnation in seen or depth > DEPTH_MAX:
            continue
        seen.add(child.incarnation)
        try:
            cause = await _read_cause(server, depth, child.namespace, child.execution_id)
        except (NotFound, ExecutionGone):
            continue  # it went while we looked
        if cause.head.incarnation == child.incarnation:
            causes.append(cause)
            pending = [*_children(cause), *pending]
    return tuple(causes)


def _children(cause: Cause) -> Iterator[tuple[int, ExecutionRef]]:
    return ((cause.depth + 1, reason.execution) for reason in cause.reasons if reason.execution is not None)


async def _read_cause(server: Server, depth: int, namespace: Namespace, execution: ExecutionId) -> Cause:
    why = await server.store.read_why(c.ReadWhy(namespace=namespace, execution_id=execution))
    timers = await _read_timers(server.timers, why.head)
    return Cause(depth=depth, head=why.head, reasons=why.reasons, timers=timers or (), timers_known=timers is not None)


async def _read_timers(timers: TimerRows, head: Head) -> tuple[Timer, ...] | None:
    """The rows about the open park, earliest first; None when timers cannot be reached."""
    if head.park_seq is None:
        return ()
    try:
        rows = await timers.read(ReadTimers(namespace=head.namespace, execution_id=head.execution_id))
    except (StoreUnavailable, NotFound):  # down, or not behind this address
        return None
    return tuple(row for row in rows.items if is_about(row, head.incarnation, head.park_seq))


def is_about(row: Timer, incarnation: Incarnation, park_seq: int | None) -> bool:
    """Is the row about this very park? Rows of other parks and other lives of the id are retired without effect."""
    return row.key.incarnation == incarnation and row.key.park_seq == park_seq


def draw_causes(causes: Iterable[Cause]) -> Sheet:
    """One row a reason, each execution under its parent."""
    rows = tuple(row for cause in causes for row in _rows(cause))
    return Sheet(("execution", "status", "reason", "because"), rows)


def _rows(cause: Cause) -> Iterator[tuple[str, str, str, str]]:
    name, status = "  " * cause.depth + cause.head.execution_id, cause.head.shown
    told = [(reason.code, reason.text) for reason in cause.reasons]
    told += [("timers", tell_timer(row)) for row in cause.timers]
    if not cause.timers_known:
        told.append(("timers", "timers cannot be reached: what it knows of this park is not shown"))
    for code, text in told or [("-", "nothing keeps it")]:
        yield name, status, code, text
        name, status = "", ""


def tell_timer(row: Timer) -> str:
    """A row of timers: which wait, when it is tried next, how often in vain."""
    tries = f", contended {row.attempt} times" if row.attempt else ""
    held = f", being tried until {show_instant(row.claimed_until)}" if row.claimed_until else ""
    return f"{row.key.kind} of {row.key.wait_id}: next try at {show_instant(row.wake_at)}{tries}{held}"
