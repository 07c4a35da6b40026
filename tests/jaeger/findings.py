"""What one trace must show of a parent's whole way. Pure: from spans to claims, each true or false."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fixtures.jaeger import Span
from loom.kernel.heads import RefusalRow
from loom_cli.demo.verdict import Claim

SERVICES = ("client", "event-store", "supervisor", "timers", "worker")


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """`spans` are the printed trace's, `later` those of the other traces of the parent's execution.

    `refusals` is what the store says of the execution whose frozen owner came too late; `listed` what `loom trace` says
    of the parent.
    """

    spans: Sequence[Span]
    later: Sequence[Span]
    refusals: Sequence[RefusalRow]
    listed: Sequence[Mapping[str, Any]]


def judge(findings: Findings) -> tuple[Claim, ...]:
    """In the order of the table."""
    return (
        _all_services(findings.spans),
        _one_root(findings.spans),
        _no_orphan(findings.spans),
        _linked_to(findings.spans, findings.later),
        _refused(findings.spans, findings.refusals),
        _listed(findings),
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


def _listed(findings: Findings) -> Claim:
    """The log knows what Jaeger shows: the printed trace, and one that was exported and links to it over the park."""
    exported = {span.trace_id for span in findings.later}
    linked = {each["trace_id"] for each in findings.listed for link in each["links"] if _is_over_park(link, findings)}
    printed = {span.trace_id for span in findings.spans} & {each["trace_id"] for each in findings.listed}
    found = f"{len(findings.listed)} traces, {len(linked & exported)} that link to the printed one over a park"
    return Claim("`loom trace` lists them", found, bool(printed) and bool(linked & exported))


def _is_over_park(link: Mapping[str, Any], findings: Findings) -> bool:
    return link["what"] == "park" and link["to"] in {span.trace_id for span in findings.spans}
