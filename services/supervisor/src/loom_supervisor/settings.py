"""The supervisor's environment: `LOOM_` and the name of a field."""

from __future__ import annotations

from dataclasses import dataclass, field

from loom_servicekit.bus.settings import KafkaSettings
from loom_servicekit.settings import Milliseconds, Port, ServiceUrl, why_exposed
from loom_servicekit.sweeps import EVERY_MS
from loom_servicekit.telemetry import TracingSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class SupervisorSettings:
    """`sweep_ms`: how often is looked for what no hint announced. `dev`: listen elsewhere than on loopback, without
    access control.
    """

    host: str = "127.0.0.1"
    port: Port = 7301
    event_store_url: ServiceUrl = "http://127.0.0.1:7300"
    timers_url: ServiceUrl = "http://127.0.0.1:7302"
    sweep_ms: Milliseconds = EVERY_MS
    kafka: KafkaSettings = field(default_factory=KafkaSettings)
    tracing: TracingSettings = field(default_factory=TracingSettings)
    dev: bool = False

    def __post_init__(self) -> None:
        if reason := why_exposed(self.host, self.dev):
            raise ValueError(reason)
