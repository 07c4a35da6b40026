"""A small Loom in one process without waiting: virtual time, the store in memory, and what wakes what is parked."""

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from contextlib import suppress
from random import Random
from typing import Any, TypeVar

from loom.client.executions import Client
from loom.errors import LoomError
from loom.ids import Instant
from loom.kernel import calls as c
from loom.stores.memory import MemoryEventStore
from loom.worker.runner import Worker

T = TypeVar("T")
BEGUN_MS = 1_700_000_000_000


class _Skipping(selectors.SelectSelector):
    """Instead of waiting it moves the clock on."""

    skipped_s = 0.0

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None:
            raise RuntimeError("nothing will ever happen any more")
        self.skipped_s += max(0.0, timeout)
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    """Time stands still while anything is ready, and else jumps to the next timer."""

    def __init__(self) -> None:
        self._skipping = _Skipping()
        super().__init__(self._skipping)
        self._clock_resolution = 1e-9

    def time(self) -> float:
        return 1_000 + self._skipping.skipped_s


class LoopClock:
    """The store's clock, on the loop's time."""

    def now(self) -> Instant:
        return Instant(BEGUN_MS + round(asyncio.get_running_loop().time() * 1000))


def run_virtually(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run to the end on a loop of virtual time. TimeoutError after five minutes of it."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(_bounded(work()))


async def _bounded(work: Coroutine[Any, Any, T]) -> T:
    async with asyncio.timeout(300):
        return await work


class Loom:
    """Store, client, and a stand-in for timers and supervisor that looks every 10 virtual milliseconds."""

    def __init__(self, store: Any = None) -> None:
        self.memory = MemoryEventStore(LoopClock(), rng=Random(7))
        self.store = store or self.memory
        self.client = Client(self.memory)
        self._workers: dict[Worker, asyncio.Task[None]] = {}

    async def __aenter__(self) -> "Loom":
        self._pump = asyncio.create_task(self._wake_for_ever())
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._pump.cancel()
        for worker in list(self._workers):
            with suppress(*([Exception] if exc[0] else [])):  # a scene that failed says why itself
                await self.stop(worker)

    def work(self, *workflows: Any, **options: Any) -> Worker:
        """A worker that runs until `stop`."""
        worker = Worker(options.pop("store", self.store), workflows, **{"idle_ms": 10, "rng": Random(3), **options})
        self._workers[worker] = asyncio.create_task(worker.run())
        return worker

    def first_worker(self) -> Worker:
        return next(iter(self._workers))

    async def stop(self, worker: Worker) -> None:
        worker.stop()
        await self._workers.pop(worker)

    async def kinds(self, execution_id: str) -> list[str]:
        """The kinds in its log, without the EXECUTION_ of Loom's own."""
        return [event.kind.removeprefix("EXECUTION_") async for event in self.client.events(execution_id)]

    async def until(self, execution_id: str, *shown: str) -> Any:
        """Its head, once it is shown so; AssertionError after a minute, or with a worker that broke down."""
        for _ in range(12_000):
            assert not any(task.done() for task in self._workers.values()), self._workers
            head = await self.client.get(execution_id)
            if head.shown in shown:
                return head
            await asyncio.sleep(0.005)
        raise AssertionError(f"{execution_id} is {head.shown}")

    async def _wake_for_ever(self) -> None:
        while True:
            await asyncio.sleep(0.01)
            await wake_due(self.memory)


async def wake_due(store: MemoryEventStore) -> int:
    """Resume what a sweep finds; how many."""
    woken = 0
    for about in ("overdue", "satisfied"):
        for due in (await store.list_due(c.ListDue(about=about))).items:  # type: ignore[arg-type]
            assert due.park_seq is not None
            call = c.Resume(
                namespace=due.execution.namespace,
                execution_id=due.execution.execution_id,
                incarnation=due.execution.incarnation,
                park_seq=due.park_seq,
                wait=due.wait,
                keys=due.keys,
            )
            try:
                await store.resume(call)
                woken += 1
            except LoomError:
                continue
    return woken
