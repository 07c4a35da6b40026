"""What a client of aiokafka 0.14 may leave running when it was closed without its brokers."""

from __future__ import annotations

import asyncio
from typing import Any

TRIES = 5
TRY_S = 0.2


def metadata_task_of(client: Any) -> asyncio.Task[None] | None:
    """To be asked for before the close, which forgets it."""
    task: asyncio.Task[None] | None = client._sync_task
    return task


async def end(task: asyncio.Task[Any] | None) -> None:
    """Cancel it until it has ended: one that is about to be refused a connection may swallow that (asyncio.wait_for
    before Python 3.12), and then it asks for metadata for as long as the process lives.
    """
    for _ in range(TRIES):
        if task is None or task.done():
            return
        task.cancel()
        await asyncio.wait({task}, timeout=TRY_S)
