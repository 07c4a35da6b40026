"""How a command reaches a server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from loom_cli.command import Server


@asynccontextmanager
async def connect(url: str) -> AsyncIterator[Server]:
    """The event store and the timers behind `url`, closed afterwards."""
    from loom.client.event_store import HttpEventStore
    from loom.client.timers import HttpTimerStore

    async with HttpEventStore(url) as store, HttpTimerStore(url) as timers:
        yield Server(store=store, timers=timers)
