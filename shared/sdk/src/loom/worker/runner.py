"""The worker: it claims runnable executions, runs each alone, and drains when it is told to stop."""

from __future__ import annotations

import asyncio
import logging
import secrets
import signal
from collections.abc import Callable, Iterable
from random import Random, SystemRandom
from typing import Any

from loom.client.executions import Client, open_store
from loom.errors import Contended
from loom.ids import Namespace, Nonce
from loom.kernel import calls as c
from loom.kernel.backoff import full_jitter_ms
from loom.kernel.limits import Limits
from loom.stores.event_store import EventStore
from loom.stores.surfaces import SURFACES
from loom.worker.lease import open_renewals
from loom.worker.registry import Workflow, register
from loom.worker.run import Run, Surroundings
from loom.worker.threads import StepThreads

CLAIMS_MAX = 1_000  # that a store gives at once
UNKNOWN_DELAY_MS = 60_000  # before somebody may claim again what this worker has no workflow for

logger = logging.getLogger(__name__)


class WrongStore(Exception):
    """Store and worker do not belong together: one of them knows surfaces that the other does not."""


class Worker:
    """Runs the workflows it is given, up to `concurrency` executions at a time. A parked execution takes no place.

    `store` is an address, a Client or a store. Leases are `ttl_ms` long and renewed at a third of that: longer than
    your database's fail-over. A store that is reached over HTTP is opened a second time, for the thread that renews.
    """

    def __init__(
        self,
        store: str | Client | EventStore,
        workflows: Iterable[Workflow[..., Any]],
        *,
        queue: str = "default",
        namespace: str = "default",
        ttl_ms: int = 60_000,
        concurrency: int = 10,
        threads: int = 32,
        drain_ms: int = 20_000,
        poll_wait_ms: int = 5_000,
        idle_ms: int = 1_000,
        rng: Random | None = None,
    ) -> None:
        if concurrency < 1 or ttl_ms < 1:
            raise ValueError(f"concurrency and ttl_ms are positive: {concurrency}, {ttl_ms}")
        self._store, self._owns_store = open_store(store)
        self._workflows = register(workflows)
        self._queue = queue
        self._namespace = Namespace(namespace)
        self._ttl_ms = ttl_ms
        self._concurrency = concurrency
        self._threads = threads
        self._drain_ms = drain_ms
        self._poll_wait_ms = poll_wait_ms
        self._idle_ms = idle_ms
        self._rng = rng or SystemRandom()
        self.owner = f"worker-{secrets.token_hex(8)}"  # of this process start
        self._runs: dict[asyncio.Task[None], Run] = {}
        self._stopping = asyncio.Event()
        self._freed = asyncio.Event()
        self._why_unready: str | None = "not started"

    @property
    def why_unready(self) -> str | None:
        """Why it takes no work now, or None."""
        return self._why_unready

    def stop(self) -> None:
        """Claim nothing more and drain: `run` returns when every running step is recorded, or the limit has passed."""
        self._stopping.set()

    async def run(self) -> None:
        """Claim and run until `stop`. Ends by nothing else, once it has begun to claim.

        Raises WrongStore, or ValueError for leases that the store does not give: without renewals all would be lost.
        """
        limits = await self._acquaint()
        if limits is None:
            return
        if not limits.lease_min_ms <= self._ttl_ms <= limits.lease_max_ms:
            raise ValueError(f"ttl_ms is {limits.lease_min_ms} to {limits.lease_max_ms} here, not {self._ttl_ms}")
        threads = StepThreads(self._threads)
        renewals = open_renewals(self._store, self._rng)
        await renewals.start()
        around = Surroundings(
            store=self._store,
            renewals=renewals,
            limits=limits,
            threads=threads,
            rng=self._rng,
            ttl_ms=self._ttl_ms,
            drain_ms=self._drain_ms,
        )
        try:
            while not self._stopping.is_set():
                await self._claim_some(around)
            await self._drain()
        finally:
            self._why_unready = "stopped"
            await renewals.stop()
            threads.shutdown()
            if self._owns_store:
                await self._store.close()  # type: ignore[attr-defined]

    # Start.

    async def _acquaint(self) -> Limits | None:
        """The store's limits, once it answers and is one that this worker knows; None when stopped before."""
        attempt = 0
        while not self._stopping.is_set():
            try:
                await self._check_surfaces()
                info = await self._store.read_store(c.ReadStore())
            except Contended as error:
                await self._pause_after(error, attempt)
                attempt += 1
            else:
                self._mark_ready()
                return info.limits
        return None

    async def _check_surfaces(self) -> None:
        read_surfaces = getattr(self._store, "read_surfaces", None)
        offered = set(SURFACES if read_surfaces is None else await read_surfaces())
        unknown = sorted(surface.name for surface in offered - set(SURFACES))
        missing = sorted(surface.name for surface in set(SURFACES) - offered)
        if unknown or missing:
            raise WrongStore(f"surfaces unknown to this worker: {unknown}; not guarded by the store: {missing}")

    # The claim loop.

    async def _claim_some(self, around: Surroundings) -> None:
        free = self._concurrency - len(self._runs)
        if not free:
            return await self._wait_for(self._freed)
        asked_at = asyncio.get_running_loop().time()
        claims = await self._poll(min(free, CLAIMS_MAX))
        for claimed in claims.items:
            await self._dispatch(claimed, asked_at, around)
        polled_ms = (asyncio.get_running_loop().time() - asked_at) * 1000
        if not claims.items and polled_ms < self._poll_wait_ms / 2:  # a store that answers at once
            await self._pause(self._idle_ms * self._rng.uniform(0.5, 1.5))

    async def _poll(self, free: int) -> c.Claims:
        """One poll, repeated with the same nonce whatever is answered: the repeat gets what the first one claimed."""
        call = c.ClaimRunnable(
            namespace=self._namespace,
            queue=self._queue,
            workflows=tuple(self._workflows),
            max=free,
            nonce=Nonce(secrets.token_hex(16)),
            owner=self.owner,
            wait_ms=self._poll_wait_ms,
        )
        attempt = 0
        while True:
            try:
                claims = await self._store.claim_runnable(call)
            except Exception as error:
                if self._stopping.is_set():
                    return c.Claims(items=())
                await self._pause_after(error, attempt)
                attempt += 1
            else:
                self._mark_ready()
                return claims

    async def _dispatch(self, claimed: c.Claimed, asked_at: float, around: Surroundings) -> None:
        """Start the run of one claim; what one of them meets is no other's business."""
        workflow = self._workflows.get(f"{claimed.head.workflow}@{claimed.head.code_version}")
        if self._stopping.is_set() or workflow is None:
            return await self._give_back(claimed, None if workflow else UNKNOWN_DELAY_MS)
        run = Run(workflow, claimed, asked_at, around)
        task = asyncio.create_task(self._attend(run), name=f"run {claimed.head.execution_id}")
        self._runs[task] = run
        task.add_done_callback(self._forget)

    async def _attend(self, run: Run) -> None:
        await run.attend()

    def _forget(self, task: asyncio.Task[None]) -> None:
        del self._runs[task]
        self._freed.set()

    async def _give_back(self, claimed: c.Claimed, delay_ms: int | None) -> None:
        own = claimed.credential
        call = c.Release(namespace=own.namespace, execution_id=own.execution_id, credential=own, delay_ms=delay_ms)
        try:
            await self._store.release(call)
        except Exception as error:
            logger.warning("%s is left to its lease: %s", own, error)

    async def _drain(self) -> None:
        for run in self._runs.values():
            run.stop()
        if self._runs:
            await asyncio.wait(self._runs)

    # Pauses.

    def _mark_ready(self) -> None:
        if self._why_unready is not None:
            logger.info("worker %s takes work from %s/%s", self.owner, self._namespace, self._queue)
        self._why_unready = None

    async def _pause_after(self, error: Exception, attempt: int) -> None:
        if attempt == 0:
            logger.warning("worker %s cannot claim, and goes on trying: %s", self.owner, error)
        self._why_unready = f"{type(error).__name__}: {error}"
        await self._pause(full_jitter_ms(attempt, self._rng))

    async def _pause(self, ms: float) -> None:
        try:
            async with asyncio.timeout(ms / 1000):
                await self._stopping.wait()
        except TimeoutError:
            pass

    async def _wait_for(self, event: asyncio.Event) -> None:
        event.clear()
        stopping, came = asyncio.ensure_future(self._stopping.wait()), asyncio.ensure_future(event.wait())
        await asyncio.wait((stopping, came), return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        came.cancel()


def run_worker(store: str | Client | EventStore, workflows: Iterable[Workflow[..., Any]], **options: Any) -> None:
    """Run a Worker with these options until SIGINT or SIGTERM, then drain; the second one ends the process at once."""
    asyncio.run(_run_until_signalled(store, workflows, options))


async def _run_until_signalled(store: Any, workflows: Any, options: dict[str, Any]) -> None:
    worker = Worker(store, workflows, **options)
    stop_on_signals(worker.stop)
    await worker.run()


def stop_on_signals(stop: Callable[[], None]) -> None:
    """The first SIGINT or SIGTERM asks to stop; from then on they mean what they mean to any process."""
    loop, numbers = asyncio.get_running_loop(), (signal.SIGINT, signal.SIGTERM)

    def heard() -> None:
        for number in numbers:
            loop.remove_signal_handler(number)
        stop()

    for number in numbers:
        loop.add_signal_handler(number, heard)
