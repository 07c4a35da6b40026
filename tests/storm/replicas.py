"""Workers as replicas: processes that are killed, frozen and started as a service's are."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from fixtures.replicas import Replica


@dataclass(slots=True)
class WorkerReplica(Replica):
    """A worker process; each start of it has a history of its own."""

    histories: Path = field(kw_only=True)
    store_url: str = field(kw_only=True)
    lease_ms: int = field(kw_only=True)
    starts: int = field(default=0, kw_only=True)

    def start(self) -> None:
        """Start the process, and do not wait for it."""
        self.starts += 1
        words = [self.store_url, str(self.histories / f"{self.name}-{self.starts}.jsonl"), str(self.lease_ms)]
        path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "storm.worker", *words],
                stdout=log,
                stderr=log,
                env={**os.environ, "PYTHONPATH": path},
            )
