"""Who wants something of Loom while it storms: a client that starts parents and sends messages, and an operator."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import loom
from loom.client.event_store import HttpEventStore
from loom.errors import Contended, LoomError
from storm.gauges import Gauges
from storm.history import Record, RecordingStore
from storm.waiting import is_set_within
from storm.workflows import GO, parent

IN_FLIGHT_MAX = 120
"""Parents that have not ended: most of them are parked, until somebody hears of it or a sweep comes by."""
LATEST_S = 8.0
"""How long after its start a parent is sent its message; it waits for it soon after that, or not yet."""
AGAIN_S = 0.2


class Load:
    """Starts parents until it is over. What is contended is tried again, unchanged, for as long as it takes."""

    def __init__(self, url: str, gauges: Gauges, history: Path, random: Random) -> None:
        self._url = url
        self._gauges = gauges
        self._history = history
        self._random = random
        self.started = 0
        self.reopened = 0

    async def run(self, every_s: float, over: asyncio.Event) -> None:
        """Returns when every parent that was started has been sent its message."""
        record = Record(self._history)
        async with HttpEventStore(self._url) as store, asyncio.TaskGroup() as messages:
            client = loom.Client(RecordingStore(store, record))  # type: ignore[arg-type]
            while not await is_set_within(over, every_s):
                if self._gauges.unfinished < IN_FLIGHT_MAX:
                    id = f"parent-{self.started:04}"
                    await _insist(lambda id=id: client.start(parent, id, id=id, idempotency_key=f"start {id}"))  # type: ignore[misc]
                    self.started += 1
                    messages.create_task(self._send_later(client, id, self._random.uniform(0, LATEST_S)))
        record.close()

    async def _send_later(self, client: loom.Client, id: str, after_s: float) -> None:
        await asyncio.sleep(after_s)
        await _insist(lambda: client.send(id, GO, {"to": id}, id=f"{id}-{GO}"))

    async def operate(self) -> None:
        """Opens again what is blocked since eight claims in a row came to nothing: it was the weather."""
        blocked = await self._gauges.blocked()
        if blocked:
            async with HttpEventStore(self._url) as store:
                for call in blocked:
                    with suppress(LoomError):
                        await store.resume(call)
                        self.reopened += 1


async def _insist(call: Callable[[], Awaitable[Any]]) -> None:
    while True:
        try:
            await call()
        except Contended:
            await asyncio.sleep(AGAIN_S)
        else:
            return
