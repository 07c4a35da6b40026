"""Reading logs, page by page."""

from __future__ import annotations

from loom.ids import Sequence
from loom.kernel import calls as c
from loom.kernel.events import Event
from loom.kernel.heads import Head
from loom.kernel.kinds import TERMINAL_KINDS
from loom.stores.event_store import EventStore

_PAGE = 500


async def read_ending(store: EventStore, head: Head) -> Event | None:
    """The terminal event of an ended execution. Audit events may follow it, so the log is read backwards."""
    last = int(head.last_seq) if head.ended else 0
    while last > 0:
        first = max(1, last - _PAGE + 1)
        for event in reversed(await read_slice(store, head, first, last)):
            if event.kind in TERMINAL_KINDS:
                return event
        last = first - 1
    return None


async def read_slice(store: EventStore, head: Head, first: int, last: int) -> tuple[Event, ...]:
    """The events `first` to `last` of this incarnation."""
    events: list[Event] = []
    while first + len(events) <= last:
        call = c.ReadEvents(
            namespace=head.namespace,
            execution_id=head.execution_id,
            incarnation=head.incarnation,
            from_seq=Sequence(first + len(events)),
            limit=min(_PAGE, last - first - len(events) + 1),
        )
        page = (await store.read_events(call)).events
        if not page:
            break
        events.extend(page)
    return tuple(events)
