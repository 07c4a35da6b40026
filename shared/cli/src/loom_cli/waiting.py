"""Waiting until an execution has ended, is blocked, or the time is up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from loom.errors import Gone
from loom.ids import ExecutionId, Namespace, Sequence
from loom.kernel import calls as c
from loom.kernel.events import Event
from loom.kernel.guards import existing
from loom.kernel.heads import Head
from loom.kernel.raw_json import NULL, RawJson
from loom.stores.event_store import EventStore
from loom_cli.exits import Exit, exit_of_status
from loom_cli.logs import read_ending
from loom_cli.waits import tell_wait

_POLL_MS = 10_000
_PAUSE_S = 0.1  # between two looks, for a store that does not hold its answer back


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where an execution stands when the waiting is over; `ending` is its terminal event, if it has ended."""

    head: Head
    ending: Event | None = None

    @property
    def payload(self) -> RawJson:
        return self.ending.payload if self.ending else NULL

    @property
    def exit(self) -> Exit:
        by = self.payload.parsed().get("by") if self.head.status == "cancelled" and self.ending else None
        return exit_of_status(self.head.shown, by)


async def await_end(
    store: EventStore,
    namespace: Namespace,
    execution: ExecutionId,
    *,
    timeout_ms: int | None,
    say: Callable[[str], None],
) -> Standing | None:
    """The standing once the chain has ended or is blocked; None when `timeout_ms` passed first.

    `say` is told of progress. Raises NotFound, Deleted, and Gone when another chain took the id meanwhile.
    """
    ends_at = None if timeout_ms is None else monotonic() + timeout_ms / 1_000
    head = first = await store.read_head(c.ReadHead(namespace=namespace, execution_id=execution))
    while not (existing(head, execution).ended or head.shown == "blocked"):
        say(tell_standing(head))
        left_ms = _POLL_MS if ends_at is None else round((ends_at - monotonic()) * 1_000)
        if left_ms <= 0:
            return None
        await _await_event(store, head, min(left_ms, _POLL_MS))
        head = await store.read_head(c.ReadHead(namespace=namespace, execution_id=execution))
        if head.chain != first.chain:
            raise Gone(f"another chain lives under {execution} now", execution_id=execution, chain=head.chain)
    return Standing(head=head, ending=await read_ending(store, head))


async def _await_event(store: EventStore, head: Head, wait_ms: int) -> None:
    after = Sequence(head.last_seq + 1)
    call = c.ReadEvents(
        namespace=head.namespace,
        execution_id=head.execution_id,
        incarnation=head.incarnation,
        from_seq=after,
        limit=1,
        wait_ms=wait_ms,
    )
    asked_at = monotonic()
    try:
        log = await store.read_events(call)
    except Gone:  # continued, perhaps: the caller looks at what lives there now
        return
    if not log.events and monotonic() - asked_at < _PAUSE_S:
        await asyncio.sleep(_PAUSE_S)


def tell_standing(head: Head) -> str:
    """One line on how far it is."""
    match head.shown:
        case "pending" | "runnable":
            doing = f"waits for a worker of {head.workflow}@{head.code_version} on queue {head.queue}"
        case "parked":
            doing = "waits for " + "; ".join(map(tell_wait, head.waits))
        case _:
            doing = f"owner {head.owner}"
    return f"{head.execution_id} {head.shown}, {head.last_seq} events: {doing}"
