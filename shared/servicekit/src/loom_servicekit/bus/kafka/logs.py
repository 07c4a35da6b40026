"""What aiokafka says, at a rate that a log can bear: without a leader it says 1,500 lines a second (kafka bug 21)."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

LINES = 5
WITHIN_S = 10.0


class RateLimit(logging.Filter):
    """At most LINES of one message text within WITHIN_S; the next line says how many were left out."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._monotonic = monotonic
        self._seen: dict[tuple[str, str], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        key, now = (record.name, str(record.msg)), self._monotonic()
        since, lines = self._seen.get(key, (now, 0))
        if now - since >= WITHIN_S:
            if lines > LINES:
                record.msg = f"{record.getMessage()} ({lines - LINES} more like this were left out)"
                record.args = None
            since, lines = now, 0
        self._seen[key] = since, lines + 1
        return lines < LINES


LIMIT = RateLimit()


def quieten() -> None:
    """Put the limit on every logger of aiokafka, and on ours here: a filter holds for the very logger it is on."""
    for name in [*logging.root.manager.loggerDict, "aiokafka"]:
        if name.startswith(("aiokafka", __package__)):
            logging.getLogger(name).addFilter(LIMIT)  # once, however often it is added
