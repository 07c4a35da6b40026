"""Why it is right that a pair never waits, or comes to one outcome only. A pair without a reason is a fault."""

from __future__ import annotations

from collections.abc import Sequence

from event_store.schedules.offers import UNCOMPARED, calls_of_port
from event_store.schedules.oracle import apart, at_different_heads
from event_store.schedules.plays import Found

READS = frozenset(call.name for call in calls_of_port() if call.reads)


def why_never_blocked(pair: tuple[str, str], founds: Sequence[Found]) -> str | None:
    """Why none of its schedules had to wait; None: nobody knows."""
    reads = [name for name in pair if name in READS]
    if reads:
        return f"{reads[0]} is a snapshot of its own and locks nothing"
    if all(apart(found.meeting) for found in founds):
        if _is_of_no_execution(pair):
            return "a duty, the fleet and an execution share no row"
        return "there is no execution that both may touch: they meet at different heads"
    if set(pair) == {"heartbeat", "switch_feature"}:
        return "a switch looks at the nodes that are there; one that comes hears what is on in the answer"
    if all(at_different_heads(found.meeting) for found in founds):
        return (
            "each locks the head that it names, one the parent's and one the child's, and writes no edge of the other"
        )
    if "claim_runnable" in pair:
        return "claim_runnable takes one statement and passes over what is locked"
    return None


def _is_of_no_execution(pair: tuple[str, str]) -> bool:
    return any("duty" in name or name in ("heartbeat", "switch_feature") for name in pair)


def why_one_outcome(pair: tuple[str, str], founds: Sequence[Found]) -> str | None:
    """Why all its schedules came to the same; None: nobody knows."""
    uncompared = [name for name in pair if name in UNCOMPARED]
    if uncompared:
        return f"the answer of {uncompared[0]} is not compared: it {UNCOMPARED[uncompared[0]]}"
    if all(found.orders == 1 for found in founds):
        return "memory answers and holds the same after either order"
    return None
