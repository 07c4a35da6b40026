"""Where the code that runs now stands in a trace."""

from __future__ import annotations

from opentelemetry import trace
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags

from loom.tracing import current

TRACE, SPAN = 0x0AF7651916CD43DD8448EB211C80319C, 0xB7AD6B7169203331


def test_the_ambient_span_is_told_as_w3c_text_and_nothing_where_there_is_none() -> None:
    """Operations 4.2 rule 3; the flag says whether the trace is kept."""
    sampled = SpanContext(TRACE, SPAN, is_remote=True, trace_flags=TraceFlags(TraceFlags.SAMPLED))
    dropped = SpanContext(TRACE, SPAN, is_remote=False, trace_flags=TraceFlags(TraceFlags.DEFAULT))

    with trace.use_span(NonRecordingSpan(sampled)):
        assert current() == "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    with trace.use_span(NonRecordingSpan(dropped)):
        assert current() == "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
    assert current() is None


def test_a_span_that_is_none_is_no_context() -> None:
    """A program without a tracer has spans of zeroes; a row that kept one would link to nothing."""
    with trace.use_span(NonRecordingSpan(trace.INVALID_SPAN_CONTEXT)):
        assert current() is None
