"""What the store says afterwards of the demo's executions: logs, heads, tokens, refusals."""

from __future__ import annotations

from dataclasses import dataclass

from loom.ids import ExecutionId, Namespace, Sequence
from loom.kernel import calls as c
from loom.kernel.events import Event
from loom.kernel.heads import Head
from loom.stores.event_store import EventStore

NAMESPACE = Namespace("default")
PAGE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One execution: its head, its whole log, the timeline of its tokens."""

    head: Head
    events: tuple[Event, ...]
    ownership: c.Ownership

    @property
    def claims(self) -> int:
        return sum(grant.rule == "claim" for grant in self.ownership.grants)

    def count(self, kind: str) -> int:
        return sum(event.kind == kind for event in self.events)

    @property
    def take_overs(self) -> int:
        """Claims that neither the start nor a resume explains: somebody's lease ran out, or was given back."""
        return self.claims - 1 - self.count("EXECUTION_RESUMED") if self.claims else 0


async def read_records(store: EventStore, parent: ExecutionId) -> tuple[Record, ...]:
    """The parent's record, then one per child."""
    records = [await read_record(store, parent)]
    for child in await _children(store, parent):
        records.append(await read_record(store, child))
    return tuple(records)


async def _children(store: EventStore, parent: ExecutionId) -> list[ExecutionId]:
    call = c.ReadChildren(namespace=NAMESPACE, execution_id=parent)
    return [edge.child.execution_id for edge in (await store.read_children(call)).items]


async def read_record(store: EventStore, execution_id: ExecutionId) -> Record:
    """Everything about one execution."""
    head = await store.read_head(c.ReadHead(namespace=NAMESPACE, execution_id=execution_id))
    events: tuple[Event, ...] = ()
    while len(events) < head.last_seq:
        start = Sequence(len(events) + 1)
        call = c.ReadEvents(namespace=NAMESPACE, execution_id=execution_id, from_seq=start, limit=PAGE)
        events += (await store.read_events(call)).events
    ownership = await store.read_ownership(c.ReadOwnership(namespace=NAMESPACE, execution_id=execution_id))
    return Record(head=head, events=events, ownership=ownership)
