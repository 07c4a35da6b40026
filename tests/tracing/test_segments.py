from __future__ import annotations

import pytest

from loom.ids import Instant, Sequence, Token
from loom.kernel.events import Event
from loom.kernel.kinds import EventKind
from loom.kernel.raw_json import NULL
from loom.tracing import CONTINUE_MS
from loom.worker.segments import AGE_MAX_MS, SPANS_MAX, SPANS_PER_EVENT, Origin, TraceLog, is_over

A, B, C = ("a" * 32, "b" * 32, "c" * 32)
FILLING = -(-SPANS_MAX // SPANS_PER_EVENT)  # so many events fill a trace


def context(trace: str, span: int = 1) -> str:
    """A recorded one."""
    return f"00-{trace}-{span:016x}-01"


def log_of(*told: tuple[EventKind, int, str | None], link: int = 1) -> TraceLog:
    """Events by kind, instant and context."""
    log = TraceLog()
    for number, (kind, at, traceparent) in enumerate(told, 1):
        event = Event(
            seq=Sequence(number),
            kind=kind,
            payload=NULL,
            fence=Token(1),
            kernel=True,
            recorded_at=Instant(at),
            traceparent=traceparent,
        )
        log.meet(event, link=link)
    return log


def origin(log: TraceLog, now: int) -> Origin:
    """By the usual threshold."""
    return log.decide_origin(Instant(now), CONTINUE_MS)


STARTED, STEP = EventKind.EXECUTION_STARTED, EventKind.STEP_STARTED
PARKED, RESUMED = EventKind.EXECUTION_SUSPENDED, EventKind.EXECUTION_RESUMED


@pytest.mark.parametrize(("late_ms", "goes_on"), [(0, True), (CONTINUE_MS, True), (CONTINUE_MS + 1, False)])
def test_a_segment_goes_on_with_a_trigger_of_the_last_minute(late_ms: int, goes_on: bool) -> None:
    """Operations 4.2 rules 1 and 2: later, it is a new trace that links to its cause."""
    decided = origin(log_of((STARTED, 1_000, context(A))), 1_000 + late_ms)

    assert decided.parent == (context(A) if goes_on else None)
    assert decided.links == (() if goes_on else (("cause", context(A)),))


@pytest.mark.parametrize(("parked_ms", "goes_on"), [(CONTINUE_MS, True), (CONTINUE_MS + 1, False)])
def test_a_trace_goes_on_over_a_park_of_a_minute(parked_ms: int, goes_on: bool) -> None:
    """Issue 5: a longer park begins a trace that links to the park and to what answered it."""
    log = log_of((STARTED, 0, context(A, 1)), (PARKED, 10, context(A, 2)), (RESUMED, 10 + parked_ms, context(A, 3)))
    decided = origin(log, 10 + parked_ms)

    assert decided.parent == (context(A, 3) if goes_on else None)
    assert decided.links == (() if goes_on else (("park", context(A, 2)), ("cause", context(A, 3))))


def test_a_trace_that_somebody_began_after_a_long_park_is_gone_on_with() -> None:
    """A timer that fires after a day, or a sender, began one: the segment is of that, and links to the park."""
    log = log_of((STARTED, 0, context(A)), (PARKED, 10, context(A, 2)), (RESUMED, 86_400_000, context(B)))

    decided = origin(log, 86_400_005)
    assert decided.parent == context(B)
    assert decided.links == (("park", context(A, 2)),)


@pytest.mark.parametrize(("events", "goes_on"), [(FILLING - 1, True), (FILLING, False)])
def test_a_trace_ends_at_a_thousand_spans(events: int, goes_on: bool) -> None:
    """Operations 4.2 rule 1: counted over the log, whoever wrote it."""
    log = log_of((STARTED, 0, context(A)), *[(STEP, 1, context(A))] * (events - 1))

    decided = origin(log, 2)
    assert (decided.parent is not None) is goes_on
    assert (decided.events, decided.since) == ((events, 0) if goes_on else (0, 2))


@pytest.mark.parametrize(("age_ms", "goes_on"), [(AGE_MAX_MS - 1, True), (AGE_MAX_MS, False)])
def test_a_trace_ends_after_an_hour(age_ms: int, goes_on: bool) -> None:
    """Operations 4.2 rule 1: however young the trigger."""
    log = log_of((STARTED, 0, context(A)), (PARKED, age_ms - 20, context(A, 2)), (RESUMED, age_ms, context(A, 3)))

    assert (origin(log, age_ms).parent is not None) is goes_on


@pytest.mark.parametrize(("link", "goes_on"), [(1, True), (2, False)])
def test_a_trace_ends_at_a_continuation(link: int, goes_on: bool) -> None:
    """Issue 5: the next link's first segment is a trace of its own; its parks go on as others do."""
    decided = origin(log_of((STARTED, 0, context(A)), link=link), 1)
    later = origin(log_of((STARTED, 0, context(A)), (PARKED, 1, context(B)), (RESUMED, 2, context(B)), link=link), 3)

    assert (decided.parent is not None) is goes_on
    assert later.parent == context(B)


def test_the_events_of_other_traces_do_not_count() -> None:
    """A trace that comes back is the one it was: its age is that of its first event."""
    log = log_of(
        (STARTED, 0, context(A)),
        *[(STEP, 1, context(C))] * FILLING,
        (PARKED, 5, context(B)),
        (RESUMED, 10, context(A, 3)),
    )

    assert origin(log, 11) == Origin(parent=context(A, 3), links=(("park", context(B)),), events=2, since=Instant(0))


@pytest.mark.parametrize("log", [TraceLog(), log_of((STARTED, 0, None))])
def test_a_log_that_keeps_no_context_begins_a_trace(log: TraceLog) -> None:
    """Written while tracing was off, or not read at all."""
    assert origin(log, 1) == Origin(parent=None, since=Instant(1))


def test_a_park_that_was_not_traced_still_lets_the_answer_be_linked() -> None:
    """What there is of park and cause is linked."""
    log = log_of((STARTED, 0, None), (PARKED, 1, context(A)), (RESUMED, 100_000, None))

    assert origin(log, 100_001).links == (("park", context(A)),)


def test_within_a_segment_the_same_bounds_hold() -> None:
    """A body that never parks does not fill a trace for ever."""
    assert not is_over(FILLING - 1, Instant(0), Instant(AGE_MAX_MS - 1))
    assert is_over(FILLING, Instant(0), Instant(0))
    assert is_over(0, Instant(0), Instant(AGE_MAX_MS))
