"""Where the code that runs now stands in a trace, as text that rows and messages keep."""

from __future__ import annotations

from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

_W3C = TraceContextTextMapPropagator()


def current() -> str | None:
    """The ambient span as a W3C `traceparent`, 55 characters; None outside every span. No `tracestate`."""
    carrier: dict[str, str] = {}
    _W3C.inject(carrier)
    return carrier.get("traceparent")
