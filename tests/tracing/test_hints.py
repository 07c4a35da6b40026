from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from opentelemetry.trace import SpanKind

from fixtures.spans import Spans, linked, trace_id
from loom import tracing
from loom.ids import ExecutionId, ExecutionRef, Incarnation, Instant, Namespace, Sequence
from loom.kernel.hints import ChildDone, Envelope
from loom.tracing import CONTINUE_MS

TRACE, SPAN = "a" * 32, "b" * 16
ROW = f"00-{TRACE}-{SPAN}-01"
ORDER = ExecutionRef(namespace=Namespace("shop"), execution_id=ExecutionId("order"), incarnation=Incarnation(7))
HINT = ChildDone(
    namespace=ORDER.namespace,
    parent=ORDER.execution_id,
    parent_incarnation=ORDER.incarnation,
    child_key="a",
    child=ExecutionId("order~c"),
    child_incarnation=Incarnation(8),
    status="completed",
    sequence=Sequence(3),
)
PLACE = {"system": "kafka", "destination.partition.id": "3", "kafka.offset": 17}


def told(traceparent: str | None = ROW) -> Envelope:
    """A hint of the instant 0."""
    return Envelope(hint=HINT, created_at=Instant(0), traceparent=traceparent)


def process(age_ms: int) -> AbstractContextManager[Any]:
    """The handling of a hint of that age."""
    return tracing.process(told(), group="loom-supervisor", now=Instant(age_ms), place=PLACE)


def fire(age_ms: int) -> AbstractContextManager[Any]:
    """The firing of a row of that age."""
    return tracing.timer_fire(ORDER, 4, ROW, age_ms=age_ms)


def redrive(age_ms: int) -> AbstractContextManager[Any]:
    """A later try by a row of that age."""
    return tracing.redrive_attempt(ORDER, 4, ROW, attempt=2, age_ms=age_ms)


@pytest.mark.parametrize(("act", "link"), [(process, "cause"), (fire, "park"), (redrive, "park")])
@pytest.mark.parametrize(("late_ms", "goes_on"), [(CONTINUE_MS, True), (CONTINUE_MS + 1, False)])
def test_what_is_young_is_gone_on_with_and_what_is_older_is_linked(
    spans: Spans, act: Callable[[int], AbstractContextManager[Any]], link: str, late_ms: int, goes_on: bool
) -> None:
    """Kafka 5.2: one threshold for hints and rows."""
    with act(late_ms):
        pass

    (span,) = spans.all
    assert (trace_id(span) == TRACE) is goes_on
    assert linked(span) == ({} if goes_on else {link: TRACE})


def test_nothing_links_to_what_was_not_recorded(spans: Spans) -> None:
    """Operations 4.2 rule 7: of ten traces nine are left out; a link to one of them would lead nowhere."""
    left_out = Envelope(hint=HINT, created_at=Instant(0), traceparent=ROW[:-2] + "00")
    with tracing.process(left_out, group="g", now=Instant(CONTINUE_MS + 1), place=PLACE):
        pass

    assert linked(spans.all[0]) == {}


def test_the_threshold_is_one_setting(spans: Spans) -> None:
    """Issue 5."""
    tracing.set_threshold(10)
    try:
        with process(11):
            pass
    finally:
        tracing.set_threshold(CONTINUE_MS)

    assert linked(spans.all[0]) == {"cause": TRACE}


def test_the_handling_of_a_hint_says_which_and_whose(spans: Spans) -> None:
    """Kafka 5.2: names by topic, attributes by the messaging conventions and Loom's own."""
    with process(0):
        pass

    span = spans.one("process loom.child-done.v1")
    assert span.kind is SpanKind.CONSUMER
    assert dict(span.attributes) == {
        "messaging.operation.name": "process",
        "messaging.operation.type": "process",
        "messaging.system": "kafka",
        "messaging.destination.name": "loom.child-done.v1",
        "messaging.destination.partition.id": "3",
        "messaging.kafka.offset": 17,
        "messaging.consumer.group.name": "loom-supervisor",
        "loom.namespace": "shop",
        "loom.parent.id": "order",
        "loom.child.id": "order~c",
        "loom.incarnation": "7",
    }


def test_a_send_is_a_sibling_of_the_handling_and_ends_with_what_became_of_it(spans: Spans) -> None:
    """Kafka 5.2: the header carries the row's own context; what has none makes no span, so a poll makes none."""
    sends = tracing.Sends([told(), told(None), told()], Instant(40))
    assert spans.all == ()
    sends.end(["acknowledged", "acknowledged", "unknown"])
    with process(0):
        pass

    first, second, handled = spans.all
    assert [span.attributes["loom.outcome"] for span in (first, second)] == ["acknowledged", "unknown"]
    assert first.attributes["loom.outbox.delay_ms"] == 40
    assert first.kind is SpanKind.CLIENT
    assert {f"{span.parent.span_id:016x}" for span in (first, second, handled)} == {SPAN}


def test_what_is_no_context_is_nobodys_trace(spans: Spans) -> None:
    """A store of another make may keep anything there: work goes on."""
    with tracing.timer_fire(ORDER, 4, "not a traceparent", age_ms=0):
        pass

    assert spans.one("timer fire").parent is None
