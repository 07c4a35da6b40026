from dataclasses import replace

from cli.nouns import an_event
from cli.shell import Shell
from fixtures.traces import in_span, trace_of_span
from loom.kernel.events import Event, NewEvent
from loom.kernel.parks import Message, MessageWait
from loom_cli.traces import TraceLink, draw_traces, list_traces

A, B, C = "a" * 32, "b" * 32, "c" * 32
PAID = MessageWait(id="paid", message=Message(name="paid", key="7"))


def log(*kinds_and_traces: tuple[str, str | None]) -> list[Event]:
    """Events in order, each of this trace."""
    return [
        replace(an_event(kind, seq=seq), traceparent=trace and f"00-{trace}-{seq:016x}-01")
        for seq, (kind, trace) in enumerate(kinds_and_traces, 1)
    ]


def told(*kinds_and_traces: tuple[str, str | None]) -> list[tuple[str, tuple[int, ...], list[tuple[str, str]]]]:
    """Trace, segments, links."""
    traces = list_traces(log(*kinds_and_traces))
    return [(each.trace_id, each.segments, [(link.what, link.to) for link in each.links]) for each in traces]


def test_a_short_park_leaves_one_trace_of_several_segments() -> None:
    """Operations 4.2 rule 1: a segment that begins soon goes on in the trace of its cause."""
    assert told(
        ("EXECUTION_STARTED", A),
        ("STEP_COMPLETED", A),
        ("EXECUTION_SUSPENDED", A),
        ("CHILD_OUTCOME", A),
        ("EXECUTION_RESUMED", A),
        ("EXECUTION_COMPLETED", A),
    ) == [(A, (1, 2), [])]


def test_a_longer_park_leaves_two_traces_and_the_later_links_to_the_earlier() -> None:
    """Operations 4.2 rule 2: to the park; and to the cause, where the segment is of neither's trace."""
    before = [("EXECUTION_STARTED", A), ("EXECUTION_SUSPENDED", A)]

    assert told(*before, ("EXECUTION_RESUMED", B), ("STEP_COMPLETED", B)) == [(A, (1,), []), (B, (2,), [("park", A)])]
    assert told(*before, ("EXECUTION_RESUMED", B), ("STEP_COMPLETED", C)) == [
        (A, (1,), []),
        (B, (2,), [("park", A)]),
        (C, (2,), [("park", A), ("cause", B)]),
    ]


def test_what_came_along_with_an_answer_is_of_the_segment_that_it_began() -> None:
    """I16: an outcome and a message are written with their RESUMED; a late event of the parker is not."""
    (first, second) = list_traces(
        log(
            ("EXECUTION_STARTED", A),
            ("EXECUTION_SUSPENDED", A),
            ("STEP_COMPLETED", A),
            ("MESSAGE_CONSUMED", B),
            ("EXECUTION_RESUMED", B),
        )
    )

    assert (first.segments, first.events, first.last_seq) == ((1,), 3, 3)
    assert (second.segments, second.events, second.first_seq) == ((2,), 2, 4)


def test_the_first_segment_of_a_late_claim_links_to_its_start() -> None:
    """Operations 4.2 rule 2: a start with a delay, or the next link of a chain."""
    assert told(("EXECUTION_STARTED", A), ("STEP_COMPLETED", B)) == [(A, (1,), []), (B, (1,), [("cause", A)])]


def test_what_is_written_beside_a_segment_links_to_nothing() -> None:
    """A cancel request and a note are in the traces of whoever made them."""
    beside = [("EXECUTION_CANCEL_REQUESTED", B), ("ANNOTATED", C)]

    assert told(("EXECUTION_STARTED", A), *beside) == [(A, (1,), []), (B, (1,), []), (C, (1,), [])]


def test_events_without_a_context_are_of_no_trace() -> None:
    """Tracing was off, or the trace was made by a program that keeps none."""
    untraced = ("EXECUTION_SUSPENDED", None)

    assert told(("EXECUTION_STARTED", None), untraced) == []
    assert told(untraced, ("EXECUTION_RESUMED", B)) == [(B, (2,), [])]


def test_the_table_shows_whole_ids() -> None:
    """They are pasted into the search of wherever traces are kept."""
    (_, row) = draw_traces(list_traces(log(("EXECUTION_STARTED", A), ("STEP_COMPLETED", B)))).rows

    assert (row[0], row[-1]) == (B, f"cause {A}")


async def test_trace_lists_the_traces_of_an_execution(shell: Shell) -> None:
    """Operations 4.2 rule 8: `loom trace ID`; the same as JSON."""
    with in_span(0):
        await shell.start("o-1")
    owner = await shell.claim("o-1")
    with in_span(4):
        await shell.append(owner, NewEvent(kind="x"))
        await shell.park(owner, PAID)
    with in_span(6):
        await shell("send", "o-1", "paid", "--key", "7")

    said = await shell("trace", "o-1")
    document = (await shell("trace", "o-1", "--json")).document

    assert said.exit == 0
    assert said.out.count(trace_of_span(0)) == 2
    assert document["execution"]["execution_id"] == "o-1"
    assert [(each["trace_id"], each["segments"], each["events"]) for each in document["traces"]] == [
        (trace_of_span(0), [1], 1),
        (trace_of_span(4), [1], 2),
        (trace_of_span(6), [2], 2),
    ]
    assert document["traces"][1]["links"] == [{"what": "cause", "to": trace_of_span(0)}]
    assert document["traces"][2]["links"] == [{"what": "park", "to": trace_of_span(4)}]


async def test_an_execution_that_nobody_traced_says_what_to_set(shell: Shell) -> None:
    """Not a fault: an empty table, and how to have one."""
    await shell.start("o-1")

    said = await shell("trace", "o-1")

    assert said.exit == 0
    assert "OTEL_EXPORTER_OTLP_ENDPOINT" in said.err


def test_a_link_is_told_once_however_many_events_follow_it() -> None:
    """By trace, not by event."""
    (_, later) = list_traces(
        log(("EXECUTION_STARTED", A), ("STEP_STARTED", B), ("STEP_COMPLETED", B), ("EXECUTION_COMPLETED", B))
    )

    assert later.links == (TraceLink(what="cause", to=A),)
