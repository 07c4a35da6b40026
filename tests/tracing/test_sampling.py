from __future__ import annotations

import pytest
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.trace.sampling import Decision, SamplingResult
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags
from opentelemetry.trace.span import TraceState

from loom.tracing import OURS
from loom_servicekit.sampling import LoomSampler

ALWAYS, NEVER, HALF = LoomSampler(1), LoomSampler(0), LoomSampler(0.5)
LOW, HIGH = 1, (1 << 64) - 1  # ids that half of the traces are on either side of
DECIDED = TraceState([(OURS, "1"), ("other", "x")])


def parent(*, sampled: bool, state: TraceState | None = None, remote: bool = True, id: int = HIGH) -> Context:
    """A context under such a span."""
    flags = TraceFlags(TraceFlags.SAMPLED if sampled else TraceFlags.DEFAULT)
    return trace.set_span_in_context(NonRecordingSpan(SpanContext(id, 7, remote, flags, state)), Context())


def ask(sampler: LoomSampler, within: Context, id: int = HIGH) -> SamplingResult:
    """What becomes of a span in it."""
    return sampler.should_sample(within, id, "run", attributes={"loom.execution.id": "a"})


@pytest.mark.parametrize("sampled", [True, False])
@pytest.mark.parametrize("sampler", [ALWAYS, NEVER])
def test_what_loom_decided_holds(sampler: LoomSampler, sampled: bool) -> None:
    """ADR 9: by the mark of a caller, or within this process; no service decides again."""
    for within in (parent(sampled=sampled, state=DECIDED), parent(sampled=sampled, remote=False)):
        decided = ask(sampler, within)
        assert (decided.decision is Decision.RECORD_AND_SAMPLE) is sampled
    assert ask(sampler, parent(sampled=sampled, state=DECIDED)).trace_state == DECIDED


@pytest.mark.parametrize("sampled", [True, False])
def test_a_strangers_flag_decides_nothing(sampled: bool) -> None:
    """Operations 4.2 rule 2: the sampler is Loom's."""
    within = parent(sampled=sampled, state=TraceState([("other", "x")]))
    taken, left = ask(ALWAYS, within), ask(NEVER, within)

    assert (taken.decision, left.decision) == (Decision.RECORD_AND_SAMPLE, Decision.DROP)
    assert taken.trace_state == left.trace_state == DECIDED
    assert taken.attributes == {"loom.execution.id": "a"}
    assert not left.attributes


@pytest.mark.parametrize(("id", "taken"), [(LOW, True), (HIGH, False)])
def test_the_share_is_taken_of_the_traces_id(id: int, taken: bool) -> None:
    """ADR 9: every service takes or leaves the same strangers' traces, and a root is judged alike."""
    for within in (Context(), parent(sampled=True, id=id)):
        assert (ask(HALF, within, id).decision is Decision.RECORD_AND_SAMPLE) is taken
