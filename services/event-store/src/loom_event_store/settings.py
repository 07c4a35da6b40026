"""The event store's environment: `LOOM_` and the name of a field; `LOOM_LIMITS_` and the name of a limit."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from loom.kernel.limits import Limits
from loom_servicekit.bus.settings import KafkaSettings
from loom_servicekit.settings import DatabaseUrl, Pooler, Port, why_exposed
from loom_servicekit.telemetry import TracingSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class EventStoreSettings:
    """`data`: the folder of the SQLite file, unless `db_url` is the application's URL of a Postgres database.

    `db_pooler`: what stands before that database. `dev`: listen elsewhere than on loopback, without access control.
    """

    host: str = "127.0.0.1"
    port: Port = 7300
    data: Path = Path("loom-data")
    db_url: DatabaseUrl | None = None
    db_pooler: Pooler = "session"
    kafka: KafkaSettings = field(default_factory=KafkaSettings)
    tracing: TracingSettings = field(default_factory=TracingSettings)
    dev: bool = False
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if reason := why_exposed(self.host, self.dev):
            raise ValueError(reason)

    @property
    def body_bytes(self) -> int:
        """The longest request: an append at its limit and room for its envelope."""
        return self.limits.append_bytes + (1 << 20)
