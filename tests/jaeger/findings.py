"""What one trace must show of a parent's whole way. Pure: from spans to claims, each true or false."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fixtures.jaeger import Span
from loom.kernel.heads import RefusalRow
from loom_cli.demo.verdict import Claim

SERVICES = ("client", "event-store", "supervisor", "timers", "worker")


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """`spans` are the printed trace's, `later` those of the other traces of the parent's execution.

    `refusals` is what the store says of the execution whose frozen owner came too late.
    """

    spans: Sequence[Span]
    later: Sequence[Span]
    refusals: Sequence[RefusalRow]


def judge(findings: Findings) -> tuple[Claim, ...]:
    """In the order of the table."""
    return (
        _all_services(findings.spans),
        _one_root(findings.spans),
        _no_orphan(findings.spans),
        _linked_to(findings.spans, findings.later),
        _refused(findings.spans, findings.refusals),
    )


def _all_services(spans: Sequence[Span]) -> Claim:
    counts = {service: sum(span.service == service for span in spans) for service in SERVICES}
    found = ", ".join(f"{service} {count}" for service, count in counts.items())
    return Claim("spans of all five services", found, all(counts.values()))


def _one_root(spans: Sequence[Span]) -> Claim:
    roots = [span for span in spans if span.parent_id is None]
    found = ", ".join(f"{root.service}: {root.name}" for root in roots[:4]) or "none"
    return Claim("one root, the client's", found, [root.service for root in roots] == ["client"])


def _no_orphan(spans: Sequence[Span]) -> Claim:
    known = {span.span_id for span in spans}
    orphans = [span for span in spans if span.parent_id is not None and span.parent_id not in known]
    told = "; ".join(f"{span.service}: {span.name}" for span in orphans[:4])
    found = f"{len(spans)} spans, {len(orphans)} without their parent{told and f': {told}'}"
    return Claim("no span whose parent is missing", found, bool(spans) and not orphans)


def _linked_to(spans: Sequence[Span], later: Iterable[Span]) -> Claim:
    """What runs after the longer park is of another trace, and links to where the park was written."""
    known = {(span.trace_id, span.span_id) for span in spans}
    links = [
        (span, link)
        for span in later
        for link in span.links
        if link.attributes.get("loom.link") == "park" and (link.trace_id, link.span_id) in known
    ]
    found = "; ".join(f"{span.service}: {span.name} of {span.trace_id[:8]}…" for span, _ in links) or "none"
    return Claim("the link of the longer park", found, bool(links))


def _refused(spans: Sequence[Span], refusals: Sequence[RefusalRow]) -> Claim:
    """Both tokens, as the store itself tells them."""
    tokens = {(row.token.shown, row.current_token.shown) for row in refusals}
    told = [
        (event.attributes.get("loom.token.expected"), event.attributes.get("loom.token.actual"), span)
        for span in spans
        for event in span.events
        if event.name == "stale"
    ]
    found = "; ".join(f"{span.service}: {expected} refused, {actual} is current" for expected, actual, span in told)
    holds = any((expected, actual) in tokens for expected, actual, _ in told)
    return Claim("the late write's refusal, with both tokens", found or "none", holds)
