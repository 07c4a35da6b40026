"""Retention's environment: `LOOM_` and the name of a field; `LOOM_KEEP_` and the name of an ending."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from loom_retention.policy import ENDINGS, Keep
from loom_servicekit.settings import DatabaseUrl, Milliseconds, Pooler, Port, ServiceUrl, why_exposed
from loom_servicekit.telemetry import TracingSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionSettings:
    """`keep`: for each ending, milliseconds. `archive`: the folder that logs go to before they are deleted.

    Without `archive` nothing is archived. `data`: the folder of the SQLite file, unless `db_url` is the application's
    URL of a Postgres database; `db_pooler`: what stands before that. `dev`: listen elsewhere than on loopback, without
    access control.
    """

    host: str = "127.0.0.1"
    port: Port = 7303
    data: Path = Path("loom-data")
    db_url: DatabaseUrl | None = None
    db_pooler: Pooler = "session"
    event_store_url: ServiceUrl = "http://127.0.0.1:7300"
    archive: Path | None = None
    keep: Keep = field(default_factory=Keep)
    retention_every_ms: Milliseconds = 3_600_000
    tracing: TracingSettings = field(default_factory=TracingSettings)
    dev: bool = False

    def __post_init__(self) -> None:
        if reason := why_exposed(self.host, self.dev):
            raise ValueError(reason)
        if any((self.keep.ms_of(ending) or 0) < 0 for ending in ENDINGS):
            raise ValueError("LOOM_KEEP_..: what has ended is kept for 0 ms or longer")

    @property
    def file(self) -> Path:
        return self.data / "retention.db"
