"""How loops and lanes wait: for an event, and at most so long. A test passes its own and waits for nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

Pause = Callable[[asyncio.Event, int], Awaitable[None]]
"""Returns when the event is set or after so many milliseconds, whichever comes first."""


async def pause(event: asyncio.Event, ms: int) -> None:
    """By the event loop's own clock."""
    try:
        await asyncio.wait_for(event.wait(), ms / 1000)
    except TimeoutError:
        return
