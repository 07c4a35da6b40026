"""Numbers of this process, read in it and exported by whoever configures telemetry."""

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


class Level:
    """How much of something there is now."""

    def __init__(self, name: str, unit: str, description: str) -> None:
        self._gauge = metrics.get_meter("loom").create_gauge(name, unit, description)
        self.name = name
        self.now = 0

    def set(self, number: int, **labels: str) -> None:
        self.now = number
        self._gauge.set(number, labels)
