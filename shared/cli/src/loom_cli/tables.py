"""Nouns as facts and tables: pure, from what a store answers to what a person reads."""

from __future__ import annotations

from collections.abc import Iterable

from loom.ids import Instant
from loom.kernel import parks as p
from loom.kernel.events import Event
from loom.kernel.heads import Head, Status
from loom_cli.durations import show_duration, show_instant, show_second
from loom_cli.sheets import Facts, Sheet, shorten
from loom_cli.timeline import tell_event
from loom_cli.waits import tell_wait


def list_heads(heads: Iterable[Head]) -> Sheet:
    """One row an execution."""
    rows = tuple(
        (
            head.execution_id,
            head.shown,
            f"{head.workflow}@{head.code_version}",
            str(head.last_seq),
            show_second(head.created_at),
            _lifetime(head) if head.ended_at else "-",
        )
        for head in heads
    )
    return Sheet(("execution", "status", "workflow", "events", "started", "lasted"), rows)


def list_counts(counts: dict[str, int]) -> Sheet:
    """Executions by status."""
    return Sheet(("status", "executions"), tuple((status, str(count)) for status, count in counts.items()))


def tell_head(head: Head) -> Facts:
    """What matters about an execution now; facts that do not apply are left out."""
    facts = (
        ("execution", f"{head.namespace}/{head.execution_id}"),
        ("incarnation", str(int(head.incarnation))),
        ("status", head.shown),
        ("workflow", f"{head.workflow}@{head.code_version}"),
        ("queue", head.queue or "none, claims never hand it out"),
        ("token", head.token.shown),
        ("owner", head.owner and f"{head.owner} until {show_instant(head.lease_until)}"),
        ("parent", head.parent_incarnation and f"@{int(head.parent_incarnation)} under key {head.parent_key}"),
        ("started", show_instant(head.created_at)),
        ("not before", head.not_before and show_instant(head.not_before)),
        ("deadline", head.deadline_at and show_instant(head.deadline_at)),
        ("cancel asked", head.cancel_requested_at and _tell_cancel(head)),
        ("waits for", "; ".join(map(tell_wait, head.waits)) or None),
        ("unknown tail", "a newer server answered the park; this one cannot judge it" if head.unknown_tail else None),
        ("fruitless claims", None if head.ended or not head.fruitless_claims else str(head.fruitless_claims)),
        ("ending", head.status is Status.DELETED and f"{head.ending}, result digest {head.result_digest}"),
        ("ended", head.ended_at and f"{show_instant(head.ended_at)} after {_lifetime(head)}"),
        ("archived up to", head.archived_seq and str(head.archived_seq)),
        ("log", f"{head.last_seq} events, {head.log_bytes} bytes"),
    )
    return Facts(tuple((name, fact) for name, fact in facts if fact))


def _tell_cancel(head: Head) -> str:
    return (
        f"{show_instant(head.cancel_requested_at)}, terminated at {show_instant(head.cancel_deadline)} if still there"
    )


def _lifetime(head: Head) -> str:
    return show_duration((head.ended_at or head.created_at) - head.created_at)


def list_events(events: Iterable[Event], began_at: Instant) -> Sheet:
    """The timeline: when counts from `began_at`, the token is the one under which it was written."""
    rows = tuple(
        (
            str(event.seq),
            "+" + show_duration(max(0, event.recorded_at - began_at)),
            event.fence.shown,
            event.kind,
            shorten(tell_event(event), 160),
        )
        for event in events
    )
    return Sheet(("seq", "when", "token", "kind", "what"), rows)


def list_edges(edges: Iterable[p.Edge]) -> Sheet:
    """The children of an execution."""
    rows = tuple((edge.child_key, edge.child.execution_id, _tell_edge(edge)) for edge in edges)
    return Sheet(("key", "child", "status"), rows)


def _tell_edge(edge: p.Edge) -> str:
    if edge.consumed_at_seq is not None:
        return f"{edge.status}, taken at event {edge.consumed_at_seq}"
    return f"{edge.status}, released" if edge.released else edge.status
