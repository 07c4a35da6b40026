"""The timers' environment: `LOOM_` and the name of a field."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from loom_servicekit.bus.settings import KafkaSettings
from loom_servicekit.settings import DatabaseUrl, Milliseconds, Pooler, Port, ServiceUrl, why_exposed
from loom_servicekit.sweeps import EVERY_MS
from loom_servicekit.telemetry import TracingSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class TimersSettings:
    """`redrivers`: URLs asked in order; without one, rows of re-drives wait for a node that has some.

    `data`: the folder of the SQLite file, unless `db_url` is the application's URL of a Postgres database; `db_pooler`:
    what stands before that. `poll_ms`: how often due rows are looked for. `sweep_ms`: how often overdue
    parks are. `dev`: listen elsewhere than on loopback, without access control.
    """

    host: str = "127.0.0.1"
    port: Port = 7302
    data: Path = Path("loom-data")
    db_url: DatabaseUrl | None = None
    db_pooler: Pooler = "session"
    event_store_url: ServiceUrl = "http://127.0.0.1:7300"
    redrivers: tuple[ServiceUrl, ...] = ()
    poll_ms: Milliseconds = 100
    sweep_ms: Milliseconds = EVERY_MS
    kafka: KafkaSettings = field(default_factory=KafkaSettings)
    tracing: TracingSettings = field(default_factory=TracingSettings)
    dev: bool = False

    def __post_init__(self) -> None:
        if reason := why_exposed(self.host, self.dev):
            raise ValueError(reason)

    @property
    def file(self) -> Path:
        return self.data / "timers.db"
