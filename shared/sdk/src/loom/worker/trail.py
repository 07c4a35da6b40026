"""The trace of a run: read off the log while it is replayed, gone on with or begun, and left when it is full."""

from __future__ import annotations

import time

from loom import tracing
from loom.errors import OwnershipLost
from loom.ids import Instant
from loom.kernel import calls as c
from loom.kernel.events import Event
from loom.worker.segments import TraceLog, is_over


class Trail:
    """Of one grant. Without an SDK for traces it counts nothing and makes nothing."""

    def __init__(self, claimed: c.Claimed) -> None:
        head = claimed.head
        self._is_on = tracing.is_on()
        self._segment = tracing.Segment(head.ref, head.workflow, claimed.credential.token)
        self._link = head.link
        self._cause = head.traceparent  # all that is known of it, where the log cannot be read
        self._claimed_ns = time.time_ns()
        self._log: TraceLog | None = TraceLog()  # until the segment has begun
        self._events = 0
        self._since = Instant(0)

    def meet(self, event: Event) -> None:
        """An event was given to the body: an old one, or one that was written in this segment."""
        if not self._is_on:
            return
        if self._log is None:
            self._events += 1
        else:
            self._log.meet(event, link=self._link)

    def begin(self, now: Instant) -> None:
        """The log has been replayed, `now` on the store's clock."""
        if not self._is_on or self._log is None:
            return
        origin = self._log.decide_origin(now, tracing.threshold_ms())
        links = origin.links if self._log.events else (("cause", self._cause),)
        self._segment.begin(origin.parent, links, claimed_ns=self._claimed_ns, replayed=self._log.events)
        self._events, self._since = origin.events, origin.since
        self._log = None

    def go_on(self, now: Instant) -> None:
        """Before anything further is done: in a new trace, if this one takes no more."""
        if self._is_on and is_over(self._events, self._since, now):
            self._segment.renew()
            self._events, self._since = 0, now

    def end(self, ending: str, loss: OwnershipLost | None) -> None:
        """The run has ended so."""
        self._segment.end(ending, loss)
