"""What a body is made of: its tasks, each of them a branch, and the futures that they wait for."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from contextvars import Context
from typing import Any, cast


class BodyFuture(asyncio.Future[Any]):
    """A future that hashes by its number of creation; equality stays identity (body-loop 1.7)."""

    def __init__(self, number: int, *, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop=loop)
        self.number = number

    def __hash__(self) -> int:
        return self.number


class BodyTask(asyncio.Task[Any]):
    """A task that hashes like a BodyFuture. Its `branch` says how it came about: `0` is the body's first task, `0.2`
    the third one that `0` created.
    """

    def __init__(
        self,
        coroutine: Coroutine[Any, Any, Any],
        *,
        number: int,
        branch: str,
        loop: asyncio.AbstractEventLoop,
        name: str | None,
        context: Context | None,
    ) -> None:
        self.branch = branch
        self._held = _Held(coroutine)
        # asyncio enters each task of the process into one weak set as it is made. Tasks of many bodies that have the
        # same number would be one long chain there, so until then it is the address.
        self.number = id(self)
        stepped = cast(Coroutine[Any, Any, Any], self._held)
        super().__init__(stepped, loop=loop, name=name or f"branch {branch}", context=context)
        self.number = number

    def __hash__(self) -> int:
        return self.number

    def get_coro(self) -> Any:
        """The coroutine that was given; None once it was closed."""
        return self._held.coroutine

    def close_coroutine(self) -> None:
        """Close the coroutine and let go of it; what it returns, raises or awaits on its way out is dropped.

        One that awaits once more is closed once more when its last reference goes, which is here.
        """
        with suppress(BaseException):
            self._held.coroutine.close()
        self._held.coroutine = None


class _Held:
    """Stands between a task and its coroutine, so that the coroutine can end before the task does."""

    def __init__(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        self.coroutine: Any = coroutine

    def __getattr__(self, name: str) -> Any:
        return getattr(self.coroutine, name)


Coroutine.register(_Held)  # asyncio.Task takes nothing else
