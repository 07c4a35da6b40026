"""A service in its fleet: it tells the event store who it is and which features it knows, and hears which are on."""

from __future__ import annotations

from importlib.metadata import version

from loom.errors import LoomError
from loom.kernel.calls import Heartbeat
from loom.kernel.features import FEATURES
from loom.stores.event_store import EventStore
from loom_servicekit.loops import Loop
from loom_servicekit.topics import ServiceName

EVERY_MS = 5_000
RETRY_MS = 1_000


class Heartbeats:
    """Tells at start and every `every_ms`. Unready while a feature is on that this version does not know (I56).

    `leans_on_store`: this service can do nothing without the event store, and is unready while it cannot be reached.
    """

    def __init__(
        self,
        store: EventStore,
        role: ServiceName,
        owner: str,
        *,
        leans_on_store: bool,
        features: tuple[str, ...] = FEATURES,
        every_ms: int = EVERY_MS,
    ) -> None:
        self._store = store
        self._told = Heartbeat(
            instance=f"{role}.{owner}", role=role, version=version("loom-servicekit"), features=features
        )
        self._leans_on_store = leans_on_store
        self._every_ms = every_ms
        self._unknown: tuple[str, ...] = ()
        self._unreached: str | None = "the event store was not asked yet"
        self._loop = Loop("heartbeat", self.step, every_ms=every_ms)

    async def start(self) -> None:
        await self._loop.start()

    async def stop(self) -> None:
        await self._loop.stop()

    def why_unready(self) -> str | None:
        if self._unknown:
            return f"{', '.join(self._unknown)}: a feature that is on, and this version does not know: upgrade it"
        return self._unreached if self._leans_on_store else None

    async def step(self) -> int:
        """One heartbeat. A failed one is repeated soon, so that readiness follows the event store closely."""
        try:
            on = (await self._store.heartbeat(self._told)).features
        except LoomError as error:
            self._unreached = f"the event store cannot be asked: {error.detail}"
            return min(RETRY_MS, self._every_ms)
        self._unreached = None
        self._unknown = tuple(name for name in on if name not in self._told.features)
        return self._every_ms
