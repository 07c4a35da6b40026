"""How a command reaches a server."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from loom_cli.command import Server


@asynccontextmanager
async def connect(url: str) -> AsyncIterator[Server]:
    """The event store at `url` and the timers that go with it, closed afterwards."""
    from loom.client.event_store import HttpEventStore
    from loom.client.timers import HttpTimerStore

    async with HttpEventStore(url) as store, HttpTimerStore(timers_url(url, os.environ)) as timers:
        yield Server(store=store, timers=timers)


def timers_url(url: str, environ: Mapping[str, str]) -> str:
    """Where timers answer: where the environment says, else at the event store's address, as in `loom dev`."""
    return environ.get("LOOM_TIMERS_URL") or url
