"""A step that is run over and over: on time, when woken, until it is told to stop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from random import Random

from loom.errors import LoomError
from loom.kernel.backoff import CAP_MS, full_jitter_ms
from loom_servicekit.pauses import Pause, pause

log = logging.getLogger(__name__)

Step = Callable[[], Awaitable[int | None]]
"""One round. Answers in how many milliseconds the next is due: 0 there is more to do, None as usual."""

JITTER = 0.1
STOP_MS = 10_000
UNREADY_FAILURES = 3


class Loop:
    """Runs a step every `every_ms`, give or take a tenth, and at once when woken. The one place that logs its failures.

    A step that raises is run again later and later, up to `cap_ms`, and no wake-up hastens that. A stop gives the round
    under way `stop_ms`.
    """

    def __init__(
        self,
        name: str,
        step: Step,
        *,
        every_ms: int,
        cap_ms: int = CAP_MS,
        stop_ms: int = STOP_MS,
        rng: Random | None = None,
        pause: Pause = pause,
    ) -> None:
        self._name = name
        self.step = step
        self._every_ms = every_ms
        self._cap_ms = cap_ms
        self._stop_ms = stop_ms
        self._rng = rng or Random()
        self._pause = pause
        self._woken = asyncio.Event()
        self._stopping = asyncio.Event()
        self._ended = asyncio.Condition()
        self._task: asyncio.Task[None] | None = None
        self._failures = 0
        self._failure: Exception | None = None
        self.rounds = 0

    async def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name=self._name)

    async def stop(self) -> None:
        """No further round; the one under way has its time to end, then it is cancelled."""
        self._stopping.set()
        self._woken.set()
        if self._task is None:
            return
        _, late = await asyncio.wait({self._task}, timeout=self._stop_ms / 1000)
        for task in late:
            log.warning("%s: its round did not end within %d ms, cancelled", self._name, self._stop_ms)
            task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    def wake(self) -> None:
        """Run the next round now, or once more after the one under way."""
        self._woken.set()

    def why_unready(self) -> str | None:
        if self._failures < UNREADY_FAILURES:
            return None
        return f"{self._name}: {self._failures} rounds in a row failed: {self._failure}"

    async def reached(self, rounds: int) -> None:
        """Wait until so many rounds have ended, counted from the start: a test waits for this instead of for time."""
        async with self._ended:
            await self._ended.wait_for(lambda: self.rounds >= rounds)

    async def _run(self) -> None:
        while not self._stopping.is_set():
            self._woken.clear()
            delay_ms = await self._round()
            async with self._ended:
                self.rounds += 1
                self._ended.notify_all()
            await self._wait(delay_ms)

    async def _round(self) -> int:
        try:
            due_ms = await self.step()
        except Exception as error:
            return self._failed(error)
        self._recovered()
        return round(self._every_ms * self._rng.uniform(1 - JITTER, 1 + JITTER)) if due_ms is None else due_ms

    async def _wait(self, delay_ms: int) -> None:
        if delay_ms == 0:
            await asyncio.sleep(0)
        else:
            await self._pause(self._stopping if self._failures else self._woken, delay_ms)

    def _failed(self, error: Exception) -> int:
        self._failures += 1
        self._failure = error
        if self._failures == 1:
            known = isinstance(error, LoomError)
            log.warning("%s: a round failed: %r", self._name, error, exc_info=None if known else error)
        return min(self._every_ms, self._cap_ms) + full_jitter_ms(self._failures, self._rng, cap_ms=self._cap_ms)

    def _recovered(self) -> None:
        if self._failures:
            log.info("%s: works again after %d failed rounds", self._name, self._failures)
        self._failures, self._failure = 0, None
