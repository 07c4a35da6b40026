"""Where spans go: to a collector by OTLP, from a thread of the exporter's own, and never at the cost of the work.

The libraries are loaded only where an endpoint is set: `loom start` does not pay for what it does not use.
"""

from __future__ import annotations

import logging
import os
import secrets
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from opentelemetry import trace

from loom.tracing import CONTINUE_MS, set_threshold
from loom_servicekit.settings import read_settings

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

TIMEOUT_S = 2
QUEUE_SPANS = 2_048
BATCH_SPANS = 256
DELAY_MS = 500
SHUTDOWN_S = 3.0

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_TIMEOUTS = ("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT")


@dataclass(frozen=True, slots=True, kw_only=True)
class TracingSettings:
    """`ratio`: the share of traces that is recorded, decided where one begins. `continue_ms`: what begins later than
    so long after its cause begins a trace of its own, with a link.
    """

    ratio: float = 0.1
    continue_ms: int = CONTINUE_MS

    def __post_init__(self) -> None:
        if not 0 <= self.ratio <= 1:
            raise ValueError("LOOM_TRACING_RATIO: a share is between 0 and 1")
        if self.continue_ms < 0:
            raise ValueError("LOOM_TRACING_CONTINUE_MS: 0 or more")


def tracing_settings(environ: Mapping[str, str], *, ratio: float = 0.1) -> TracingSettings:
    """For a process that has no other settings; `ratio`: where the environment says none. Raises SettingsError."""
    return read_settings(TracingSettings, {"LOOM_TRACING_RATIO": str(ratio), **environ}, "LOOM_TRACING_")


def is_wanted(environ: Mapping[str, str]) -> bool:
    """Is there an endpoint, and has nobody said no?"""
    off = environ.get("OTEL_SDK_DISABLED", "").lower() == "true" or environ.get("OTEL_TRACES_EXPORTER") == "none"
    return not off and any(environ.get(name) for name in _ENDPOINTS)


@contextmanager
def exporting(service: str, settings: TracingSettings, environ: Mapping[str, str] = os.environ) -> Iterator[None]:
    """Export the spans of this process under that name. Without an endpoint in the environment: nothing at all."""
    if not is_wanted(environ):
        yield
        return
    set_threshold(settings.continue_ms)
    provider = open_provider(service, settings, environ)
    trace.set_tracer_provider(provider)
    try:
        yield
    finally:
        shut_down(provider)


def open_provider(service: str, settings: TracingSettings, environ: Mapping[str, str]) -> TracerProvider:
    """A provider with the exporter's bounds; what a standard variable says wins over them, and over the settings."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    from loom_servicekit.sampling import LoomSampler

    def unless_said(variable: str, ours: int) -> int | None:
        return None if environ.get(variable) else ours

    named = {"service.name": service, "service.namespace": "loom", "service.instance.id": secrets.token_hex(8)}
    provider = TracerProvider(
        sampler=None if environ.get("OTEL_TRACES_SAMPLER") else LoomSampler(settings.ratio),
        resource=Resource.create(named).merge(OTELResourceDetector().detect()),
        shutdown_on_exit=False,
    )
    is_timed = any(environ.get(name) for name in _TIMEOUTS)
    processor = BatchSpanProcessor(
        OTLPSpanExporter(timeout=None if is_timed else TIMEOUT_S),
        max_queue_size=unless_said("OTEL_BSP_MAX_QUEUE_SIZE", QUEUE_SPANS),
        max_export_batch_size=unless_said("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", BATCH_SPANS),
        schedule_delay_millis=unless_said("OTEL_BSP_SCHEDULE_DELAY", DELAY_MS),
    )
    provider.add_span_processor(processor)
    return provider


def shut_down(provider: TracerProvider) -> None:
    """Give it SHUTDOWN_S to hand over what it has. A collector that never answers keeps no process (kafka 5.5)."""
    closing = threading.Thread(target=provider.shutdown, name="loom-telemetry", daemon=True)
    closing.start()
    closing.join(SHUTDOWN_S)


class TracedFormatter(logging.Formatter):
    """A line ends with the ids of the trace and the span it was written in, if it was in one."""

    def format(self, record: logging.LogRecord) -> str:
        line = super().format(record)
        at = trace.get_current_span().get_span_context()
        return f"{line} trace_id={at.trace_id:032x} span_id={at.span_id:016x}" if at.is_valid else line
