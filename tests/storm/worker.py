"""A worker process of a storm: `python -m storm.worker URL FILE LEASE_MS`; the file is its history."""

from __future__ import annotations

import asyncio
import logging
import sys
from pathlib import Path

import loom
from loom.client.event_store import HttpEventStore
from loom.worker.runner import stop_on_signals
from storm.history import Record, RecordingStore
from storm.workflows import WORKFLOWS

CONCURRENCY = 8
POLL_WAIT_MS = 2_000


async def work(url: str, history: Path, lease_ms: int) -> None:
    """Until it is told to stop, or does not live to hear it."""
    store = RecordingStore(HttpEventStore(url), Record(history))
    worker = loom.Worker(
        store,  # type: ignore[arg-type]
        WORKFLOWS,
        ttl_ms=lease_ms,
        concurrency=CONCURRENCY,
        poll_wait_ms=POLL_WAIT_MS,
    )
    stop_on_signals(worker.stop)
    await worker.run()


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    asyncio.run(work(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])))
