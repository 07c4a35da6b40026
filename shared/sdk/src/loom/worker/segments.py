"""Whose trace a segment is of: decided over the log, which keeps the context and the instant of every event.

A segment goes from a trigger, the STARTED or RESUMED that made the execution runnable, to the next park or end.
"""

from __future__ import annotations

from dataclasses import dataclass

from loom.ids import Instant
from loom.kernel.events import Event
from loom.kernel.kinds import EventKind
from loom.tracing import trace_of

SPANS_MAX = 1_000
AGE_MAX_MS = 3_600_000
SPANS_PER_EVENT = 3
"""At most: the request that wrote it and its answer, and the step or the claim that it tells of."""

_TRIGGERS = frozenset({EventKind.EXECUTION_STARTED, EventKind.EXECUTION_RESUMED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """`parent`: the context that the segment goes on from, None for a trace of its own. `links`: by what they are to.

    `events`: how many of the trace's events the log holds; `since`: when the first was recorded.
    """

    parent: str | None
    links: tuple[tuple[str, str], ...] = ()
    events: int = 0
    since: Instant


@dataclass(frozen=True, slots=True)
class _At:
    """An event, as far as it matters here."""

    at: Instant
    traceparent: str | None


@dataclass(slots=True)
class _Tally:
    since: Instant
    events: int = 0


class TraceLog:
    """What a log says of its traces. Events are met in their order."""

    def __init__(self) -> None:
        self._trigger: _At | None = None
        self._park: _At | None = None  # the one that the trigger answered
        self._suspended: _At | None = None
        self._continued = False
        self._traces: dict[str, _Tally] = {}
        self.events = 0

    def meet(self, event: Event, *, link: int) -> None:
        """`link`: which link of its chain the execution is."""
        self.events += 1
        met = _At(event.recorded_at, event.traceparent)
        if event.kind == EventKind.EXECUTION_SUSPENDED:
            self._suspended = met
        elif event.kind in _TRIGGERS:
            self._trigger, self._park = met, self._suspended
            self._continued = event.kind == EventKind.EXECUTION_STARTED and link > 1
        if event.traceparent is not None:
            self._traces.setdefault(trace_of(event.traceparent), _Tally(event.recorded_at)).events += 1

    def decide_origin(self, now: Instant, continue_ms: int) -> Origin:
        """Of the segment that begins now, on the store's clock: it goes on with its trigger's trace, unless that is
        over, or came too long ago; then a new one links to the park that was answered and to what answered it.
        """
        trigger = self._trigger
        if trigger is None or trigger.traceparent is None:
            return Origin(parent=None, links=self._links(None), since=now)
        tally = self._traces[trace_of(trigger.traceparent)]
        is_late = now - trigger.at > continue_ms or self._parked_ms(trigger) > continue_ms
        if is_late or self._continued or is_over(tally.events, tally.since, now):
            return Origin(parent=None, links=self._links(None), since=now)
        return Origin(parent=trigger.traceparent, links=self._links(trigger), events=tally.events, since=tally.since)

    def _parked_ms(self, trigger: _At) -> int:
        """How long the park was that the trigger's trace goes on over; 0 if it began after the park."""
        park = self._park
        if park is None or park.traceparent is None or trigger.traceparent is None:
            return 0
        return trigger.at - park.at if trace_of(park.traceparent) == trace_of(trigger.traceparent) else 0

    def _links(self, parent: _At | None) -> tuple[tuple[str, str], ...]:
        """To the park and to the cause, but to nothing of the trace that the segment is of."""
        own = None if parent is None or parent.traceparent is None else trace_of(parent.traceparent)
        found = (("park", self._park), ("cause", self._trigger))
        return tuple(
            (name, there.traceparent)
            for name, there in found
            if there is not None and there.traceparent is not None and trace_of(there.traceparent) != own
        )


def is_over(events: int, since: Instant, now: Instant) -> bool:
    """Does a trace of so many events of one log, which began then, take no further segment?"""
    return events * SPANS_PER_EVENT >= SPANS_MAX or now - since >= AGE_MAX_MS
