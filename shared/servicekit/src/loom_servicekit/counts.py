"""Numbers that only grow: read in the process, exported by whoever configures telemetry."""

from __future__ import annotations

from opentelemetry import metrics


class Count:
    """How often something happened since the process started. The name is the metric's, dotted and without a unit."""

    def __init__(self, name: str, description: str) -> None:
        self._counter = metrics.get_meter("loom").create_counter(name, description=description)
        self.name = name
        self.total = 0

    def add(self, number: int = 1, **labels: str) -> None:
        self.total += number
        self._counter.add(number, labels)
