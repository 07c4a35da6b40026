"""What is said of a trace, on traces made by hand: each claim has a fault that breaks it. `make jaeger` has one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fixtures.jaeger import Link, Span, SpanEvent
from jaeger.findings import SERVICES, Findings, judge
from loom.ids import Instant, Token
from loom.kernel.heads import RefusalRow

TRACE, LATER = "a" * 32, "b" * 32
STALE = SpanEvent(name="stale", attributes={"loom.token.expected": "1.1", "loom.token.actual": "1.2"})


def span(number: int, parent: int | None, service: str, *, trace_id: str = TRACE) -> Span:
    """One that says nothing."""
    return Span(
        trace_id=trace_id,
        span_id=f"{number:016x}",
        parent_id=None if parent is None else f"{parent:016x}",
        service=service,
        name="act",
        began_ns=number,
        attributes={},
        events=(),
        links=(),
    )


def refusal(presented: int, current: int) -> RefusalRow:
    """As the store tells it."""
    return RefusalRow(
        token=Token((1 << 32) + presented),
        surface="renew",
        code="stale",
        current_token=Token((1 << 32) + current),
        count=1,
        first_at=Instant(1),
        last_at=Instant(1),
    )


def sound() -> Findings:
    """A chain through all services, and a later span that links to its end."""
    chain = [span(number, number - 1 or None, service) for number, service in enumerate(SERVICES, 1)]
    chain[-1] = replace(chain[-1], events=(STALE,))
    link = Link(trace_id=TRACE, span_id=chain[1].span_id, attributes={"loom.link": "park"})
    later = replace(span(9, None, "worker", trace_id=LATER), links=(link,))
    listed = (
        {"trace_id": TRACE, "links": []},
        {"trace_id": LATER, "links": [{"what": "park", "to": TRACE}]},
    )
    return Findings(spans=tuple(chain), later=(later,), refusals=(refusal(1, 2),), listed=listed)


def broken(findings: Findings) -> list[str]:
    """The claims that do not hold."""
    return [claim.text for claim in judge(findings) if not claim.holds]


def test_a_whole_trace_holds() -> None:
    """Operations 4.2 rule 9: services, one root, no missing parent, the link of the longer park, both tokens."""
    assert broken(sound()) == []


def test_nothing_holds_of_no_trace() -> None:
    """A trace that Jaeger does not know proves nothing, whatever the store says."""
    assert len(broken(replace(sound(), spans=()))) == 6


@pytest.mark.parametrize("service", SERVICES[1:-1])
def test_a_service_that_is_missing_is_told(service: str) -> None:
    """Its spans began a trace of their own: a context was lost before it."""
    spans = sound().spans
    number = SERVICES.index(service)
    without = (*spans[:number], *(replace(it, parent_id=spans[0].span_id) for it in spans[number + 1 :]))

    assert "spans of all five services" in broken(replace(sound(), spans=without))


def test_a_second_root_and_one_of_a_service_are_told() -> None:
    """What has no parent began here; only the client did."""
    spans = sound().spans
    two = (*spans[:-1], replace(spans[-1], parent_id=None))
    elsewhere = (replace(spans[0], service="event-store"), replace(spans[1], service="client"), *spans[2:])

    assert broken(replace(sound(), spans=two)) == ["one root, the client's"]
    assert broken(replace(sound(), spans=elsewhere)) == ["one root, the client's"]


def test_a_parent_that_was_never_exported_is_told() -> None:
    """Jaeger would show it as an invalid parent."""
    spans = sound().spans
    orphaned = (*spans[:-1], replace(spans[-1], parent_id="f" * 16))

    assert broken(replace(sound(), spans=orphaned)) == ["no span whose parent is missing"]


def test_a_link_to_anything_but_the_park_is_none() -> None:
    """The park's own span, in the printed trace; not a span of the right id elsewhere, and not the cause alone."""
    (later,) = sound().later
    (link,) = later.links
    wrong = (
        replace(link, trace_id=LATER),
        replace(link, span_id="f" * 16),
        replace(link, attributes={"loom.link": "cause"}),
    )

    for each in (*((it,) for it in wrong), ()):
        assert broken(replace(sound(), later=(replace(later, links=each),))) == ["the link of the longer park"]


def test_a_refusal_needs_both_tokens_and_the_stores_word() -> None:
    """Tokens as `epoch.counter`, the one presented and the current one, as `ownership` shows them."""
    spans = sound().spans
    half = replace(STALE, attributes={"loom.token.expected": "1.1"})
    untold = (*spans[:-1], replace(spans[-1], events=(half,)))
    text = "the late write's refusal, with both tokens"

    assert broken(replace(sound(), spans=untold)) == [text]
    assert broken(replace(sound(), refusals=(refusal(1, 3),))) == [text]
    assert broken(replace(sound(), refusals=())) == [text]


def test_what_the_log_lists_must_be_what_was_exported() -> None:
    """`loom trace` reads the log, Jaeger has the spans: neither may know a trace alone."""
    (printed, later) = sound().listed
    text = "`loom trace` lists them"

    assert broken(replace(sound(), listed=())) == [text]
    assert broken(replace(sound(), listed=(printed, {**later, "links": []}))) == [text]
    assert broken(replace(sound(), listed=(printed, {**later, "trace_id": "c" * 32}))) == [text]
    assert broken(replace(sound(), listed=(later,))) == [text]
