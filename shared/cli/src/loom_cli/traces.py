"""The traces of an execution, as its log tells them: which segments each is of, and to which others it links.

A segment goes from a STARTED or RESUMED, with what came along with it, to the next park or end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from loom.ids import Instant, Sequence
from loom.kernel.events import Event
from loom.kernel.kinds import AUDIT_KINDS, EventKind
from loom.tracing import trace_of
from loom_cli.durations import show_instant
from loom_cli.sheets import Sheet

_COPIED = frozenset({EventKind.CHILD_OUTCOME, EventKind.MESSAGE_CONSUMED})
_OF_OTHERS = AUDIT_KINDS | {EventKind.EXECUTION_CANCEL_REQUESTED}
"""What is written beside a segment, by whoever does not run it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceLink:
    """`to`: the id of a trace. `what` it holds: the park that the segment went on from, or what began the segment."""

    what: Literal["park", "cause"]
    to: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """`segments` are numbers from 1; `events` of this log are of the trace, from `first_seq` to `last_seq`."""

    trace_id: str
    segments: tuple[int, ...]
    since: Instant
    first_seq: Sequence
    last_seq: Sequence
    events: int
    links: tuple[TraceLink, ...]


@dataclass(slots=True)
class _Segment:
    number: int
    cause: str | None = None
    park: str | None = None  # of the one before it
    events: list[Event] = field(default_factory=list)


def list_traces(events: Iterable[Event]) -> tuple[Trace, ...]:
    """In the order of their first events; events without a context are of none."""
    segments = list(_segments(events))
    found: dict[str, list[tuple[_Segment, Event]]] = {}
    for segment in segments:
        for event in segment.events:
            if event.traceparent is not None:
                found.setdefault(trace_of(event.traceparent), []).append((segment, event))
    return tuple(_trace(trace_id, kept) for trace_id, kept in found.items())


def _segments(events: Iterable[Event]) -> Iterator[_Segment]:
    segment = _Segment(1)
    park: str | None = None
    copied: list[Event] = []  # come before the RESUMED that they were written with
    parked = False
    for event in events:
        if parked and event.kind in _COPIED:
            copied.append(event)
        elif event.kind == EventKind.EXECUTION_RESUMED:
            yield segment
            segment = _Segment(segment.number + 1, _id_of(event), park, [*copied, event])
            copied, parked = [], False
        else:
            segment.events.append(event)
            if event.kind == EventKind.EXECUTION_STARTED:
                segment.cause = _id_of(event)
            elif event.kind == EventKind.EXECUTION_SUSPENDED:
                park, parked = _id_of(event), True
    segment.events += copied
    yield segment


def _id_of(event: Event) -> str | None:
    return None if event.traceparent is None else trace_of(event.traceparent)


def _trace(trace_id: str, kept: list[tuple[_Segment, Event]]) -> Trace:
    links: dict[TraceLink, None] = {}
    for segment, event in kept:
        if event.kind not in _OF_OTHERS:
            links.update(dict.fromkeys(_links(trace_id, segment)))
    events = [event for _, event in kept]
    return Trace(
        trace_id=trace_id,
        segments=tuple(dict.fromkeys(segment.number for segment, _ in kept)),
        since=events[0].recorded_at,
        first_seq=events[0].seq,
        last_seq=events[-1].seq,
        events=len(events),
        links=tuple(links),
    )


def _links(trace_id: str, segment: _Segment) -> Iterator[TraceLink]:
    if segment.park not in (None, trace_id):
        yield TraceLink(what="park", to=str(segment.park))
    if segment.cause not in (None, trace_id):
        yield TraceLink(what="cause", to=str(segment.cause))


def draw_traces(traces: Iterable[Trace]) -> Sheet:
    """One row a trace."""
    rows = tuple(
        (
            trace.trace_id,
            show_instant(trace.since),
            ", ".join(map(str, trace.segments)),
            f"{trace.events} events, {trace.first_seq} to {trace.last_seq}",
            ", ".join(f"{link.what} {link.to}" for link in trace.links) or "-",
        )
        for trace in traces
    )
    return Sheet(("trace", "since", "segments", "wrote", "links to"), rows)
