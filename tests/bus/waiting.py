"""Waiting for what others do: the one loop that looks again and again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

Found = TypeVar("Found")

PATIENCE_S = 60
LOOK_S = 0.02


async def until(look: Callable[[], Awaitable[Found]], *, within_s: float = PATIENCE_S) -> Found:
    """What `look` found, as soon as that is something. Raises TimeoutError."""
    async with asyncio.timeout(within_s):
        while not (found := await look()):  # noqa: ASYNC110 - what changes is elsewhere
            await asyncio.sleep(LOOK_S)
        return found
