"""A worker process of the demo: `python -m loom_cli.demo.worker NAME URL FOLDER`."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from pathlib import Path

import loom
from loom_cli.demo.acknowledged import RecordingStore
from loom_cli.demo.audit import WORKFLOWS
from loom_servicekit.telemetry import exporting, tracing_settings

LEASE_MS = 2_000


async def run(name: str, url: str, folder: Path) -> None:
    """Work until SIGTERM, under an owner's name that begins with `name`."""
    store = RecordingStore(url, folder / f"acknowledged-{name}.jsonl")
    worker = loom.Worker(store, workflows=WORKFLOWS, ttl_ms=LEASE_MS, concurrency=1)
    (folder / f"{name}.owner").write_text(worker.owner)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, worker.stop)
    await worker.run()


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    with exporting("worker", tracing_settings(os.environ, ratio=1.0)):
        asyncio.run(run(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
