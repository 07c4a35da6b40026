"""Pins: why an ended execution may not be deleted. Payloads are never read (I47)."""

from __future__ import annotations

from collections.abc import Iterable

from loom.ids import Instant
from loom.kernel.heads import LIVE, Head, Pin
from loom.kernel.parks import Edge


def is_pinning(edge: Edge, parent: Head | None) -> bool:
    """A child is pinned until its parent's log has its outcome, the parent has ended, or the edge is released (H7)."""
    if edge.consumed_at_seq is not None or edge.released:
        return False
    return parent is not None and parent.incarnation == edge.parent.incarnation and parent.status in LIVE


def why_pinned(
    as_child: Iterable[tuple[Edge, Head | None]], as_parent: Iterable[Edge], pins: Iterable[Pin], now: Instant
) -> str | None:
    """The first reason, or None: an unconsumed outcome, a close policy not carried out, an operator's pin."""
    for edge, parent in as_child:
        if is_pinning(edge, parent):
            return f"{edge.parent.execution_id} has not consumed its outcome (key {edge.child_key})"
    for edge in as_parent:
        if not edge.ended and edge.close != "abandon":
            return f"its child {edge.child.execution_id} is still to be ended (close {edge.close})"
    for pin in pins:
        if pin.expiry is None or pin.expiry > now:
            return f"{pin.owner}: {pin.reason}"
    return None
