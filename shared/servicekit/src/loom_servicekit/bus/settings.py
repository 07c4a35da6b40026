"""Which bus: `LOOM_KAFKA_` and the name of a field. Without brokers there is the in-process one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Field, FilePath

from loom_servicekit.settings import Milliseconds

Security = Literal["plaintext", "ssl", "sasl_plaintext", "sasl_ssl"]
Mechanism = Literal["SCRAM-SHA-512", "SCRAM-SHA-256", "PLAIN"]
Broker = Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]+:[0-9]{1,5}$|^\[[0-9A-Fa-f:.]+\]:[0-9]{1,5}$")]
Prefix = Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{0,200}$")]


@dataclass(frozen=True, slots=True, kw_only=True)
class KafkaSettings:
    """`bootstrap`: HOST:PORT of one broker or more; none means the bus inside the process.

    `ca_file`: the bundle that signs the brokers' certificates, if not the system's. `cluster`: names this installation
    in the source of its messages. `topic_prefix`: stands before every topic and group, for those who share brokers.

    `session_ms`: how long a silent member keeps its partitions. `poll_max_ms`: how long one that does not poll does.
    `rebalance_ms`: what a rebalance waits for; `drain_ms`, for the work in flight, is shorter. `in_flight_max`:
    handlers queued or at work before a consumer stops fetching: at most 16 x drain_ms / (4 x a slow handler's time).
    `request_ms`: after which a producer of `idempotent` sends gives a message up; longer than any publisher waits.
    `linger_ms`: how long a message waits for company.
    """

    bootstrap: tuple[Broker, ...] = ()
    security: Security = "plaintext"
    mechanism: Mechanism = "SCRAM-SHA-512"
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    ca_file: FilePath | None = None
    cluster: str = "loom"
    topic_prefix: Prefix = ""
    session_ms: Milliseconds = 20_000
    poll_max_ms: Milliseconds = 60_000
    rebalance_ms: Milliseconds = 30_000
    drain_ms: Milliseconds = 10_000
    in_flight_max: int = 100
    request_ms: Milliseconds = 60_000
    idempotent: bool = True
    linger_ms: Annotated[int, Field(ge=0)] = 2

    def __post_init__(self) -> None:
        if faults := self._faults():
            raise ValueError("; ".join(faults))

    def _faults(self) -> list[str]:
        faults = []
        if self.security.startswith("sasl") and not (self.username and self.password):
            faults.append(f"{self.security} needs a username and a password")
        if self.ca_file is not None and not self.ca_file.is_file():
            faults.append("ca_file names no file")
        if self.drain_ms >= self.rebalance_ms:
            faults.append(f"drain_ms {self.drain_ms} is not below rebalance_ms {self.rebalance_ms}")
        if self.in_flight_max < 1:
            faults.append("in_flight_max is at least 1")
        return faults
