"""Which traces are recorded: decided once, where a trace of Loom begins, and gone by from then on."""

from __future__ import annotations

from collections.abc import Sequence

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.trace.sampling import Decision, Sampler, SamplingResult, TraceIdRatioBased
from opentelemetry.trace import Link, SpanKind
from opentelemetry.trace.span import TraceState
from opentelemetry.util.types import Attributes

from loom.tracing import OURS


class LoomSampler(Sampler):
    """A share of the traces. What a sampler of Loom has decided, it marked in `tracestate`, and it holds everywhere.

    A stranger's sampled flag decides nothing: the share is taken of the trace's id, in every service alike, so that
    whoever calls with everything sampled does not fill Loom's collector.
    """

    def __init__(self, ratio: float) -> None:
        self._share = TraceIdRatioBased(ratio)

    def should_sample(
        self,
        parent_context: Context | None,
        trace_id: int,
        name: str,
        kind: SpanKind | None = None,
        attributes: Attributes = None,
        links: Sequence[Link] | None = None,
        trace_state: TraceState | None = None,
    ) -> SamplingResult:
        parent = trace.get_current_span(parent_context).get_span_context()
        state = parent.trace_state if parent.is_valid else TraceState()
        if parent.is_valid and (not parent.is_remote or OURS in state):
            decision = Decision.RECORD_AND_SAMPLE if parent.trace_flags.sampled else Decision.DROP
        else:
            decision = self._share.should_sample(parent_context, trace_id, name).decision
            state = state.update(OURS, "1") if OURS in state else state.add(OURS, "1")
        dropped = decision is Decision.DROP
        return SamplingResult(decision, None if dropped else attributes, state)

    def get_description(self) -> str:
        return f"LoomSampler{{{self._share.rate}}}"
