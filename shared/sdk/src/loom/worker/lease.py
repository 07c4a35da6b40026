"""Leases, kept by renewals at a third of their length, on a thread of their own, whatever steps do to the loop."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from random import Random
from typing import Any, Protocol

from loom.errors import Refused, Superseded
from loom.ids import Credential
from loom.kernel import calls as c
from loom.kernel.backoff import full_jitter_ms
from loom.stores.event_store import EventStore

RETRY_CAP_MS = 1_000

logger = logging.getLogger(__name__)


class Listener(Protocol):
    """Who is told about a lease, on the loop that holds it."""

    def hear_waiting(self, waiting: c.Waiting) -> None: ...
    def hear_lost(self, error: Exception) -> None: ...


class Lease:
    """One grant's lease, as far as this process may believe in it: counted from before the request that won it."""

    def __init__(self, credential: Credential, ttl_ms: int, good_until: float, listener: Listener) -> None:
        self.credential = credential
        self.ttl_ms = ttl_ms
        self.good_until = good_until  # on the loop's clock
        self.listener = listener


class Renewals:
    """Renews leases on the loop on which it was started."""

    def __init__(self, store: EventStore, rng: Random) -> None:
        self._store = store
        self._rng = rng
        self._keepers: dict[Lease, Any] = {}

    async def start(self) -> None:
        self._told_on = asyncio.get_running_loop()

    async def stop(self) -> None:
        for lease in list(self._keepers):
            self.let_go(lease)

    def hold(self, lease: Lease) -> None:
        """Renew now, for a first lease is short, then at each third; until `let_go` or the loss, which is told."""
        self._keepers[lease] = self._spawn(self._keep(lease))

    def let_go(self, lease: Lease) -> None:
        keeper = self._keepers.pop(lease, None)
        if keeper is not None:
            keeper.cancel()

    async def renew(self, lease: Lease) -> None:
        """Renew at once: what a process does first that overslept its lease. A loss is told before this returns."""
        await self._renew(lease)
        await asyncio.sleep(0)  # what was told is heard first

    def _spawn(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.ensure_future(work)

    async def _keep(self, lease: Lease) -> None:
        while True:
            if not await self._renew(lease):
                return
            await asyncio.sleep(lease.ttl_ms / 3000)

    async def _renew(self, lease: Lease) -> bool:
        """Renew, trying again while the lease is good; is it still ours?"""
        attempt = 0
        while True:
            asked = asyncio.get_running_loop().time()
            try:
                answer = await self._store.renew(_renewal(lease))
            except Exception as error:
                if isinstance(error, Superseded | Refused) or asked >= lease.good_until:
                    self._tell(lease.listener.hear_lost, error)
                    return False
                logger.debug("renewal of %s is tried again: %s", lease.credential, error)
            else:
                lease.good_until = asked + lease.ttl_ms / 1000
                self._tell(lease.listener.hear_waiting, answer.waiting)
                return True
            await asyncio.sleep(full_jitter_ms(attempt, self._rng, cap_ms=RETRY_CAP_MS) / 1000)
            attempt += 1

    def _tell(self, hear: Callable[[Any], None], news: Any) -> None:
        with suppress(RuntimeError):  # a loop that is closed has nobody to tell
            self._told_on.call_soon_threadsafe(hear, news)


class RenewalThread(Renewals):
    """Renews leases on a thread with its own loop, over a store that belongs to that loop alone."""

    async def start(self) -> None:
        """Start the thread."""
        await super().start()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="loom-renewals", daemon=True)
        self._thread.start()

    async def stop(self) -> None:
        """Let go of everything and end the thread."""
        await super().stop()
        self._loop.call_soon_threadsafe(self._loop.stop)
        await asyncio.get_running_loop().run_in_executor(None, self._thread.join)

    async def renew(self, lease: Lease) -> None:
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._renew(lease), self._loop))

    def _spawn(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(_close(self._store))


async def _close(store: Any) -> None:
    close = getattr(store, "close", None)
    if close is not None:
        await close()


def _renewal(lease: Lease) -> c.Renew:
    return c.Renew(
        namespace=lease.credential.namespace,
        execution_id=lease.credential.execution_id,
        credential=lease.credential,
        ttl_ms=lease.ttl_ms,
    )


def open_renewals(store: EventStore, rng: Random) -> Renewals:
    """On a thread if the store can be opened a second time (`twin`), which one in this process's memory cannot."""
    twin = getattr(store, "twin", lambda: None)()
    return Renewals(store, rng) if twin is None else RenewalThread(twin, rng)
