"""A subscription that lives as long as its service."""

from __future__ import annotations

from functools import partial

from loom.kernel.hints import Hint
from loom_servicekit.bus.port import Handler, MessageBus, Subscription


class Consumer:
    """Subscribes at start, drains at stop. `group`, `coalesce` as in `MessageBus.subscribe`."""

    def __init__(
        self,
        bus: MessageBus,
        topics: tuple[type[Hint], ...],
        handler: Handler,
        *,
        group: str | None,
        coalesce: bool = False,
    ) -> None:
        self._subscribe = partial(bus.subscribe, topics, handler, group=group, coalesce=coalesce)
        self._subscription: Subscription | None = None

    async def start(self) -> None:
        self._subscription = self._subscribe()

    async def stop(self) -> None:
        if self._subscription is not None:
            await self._subscription.stop()

    def why_unready(self) -> str | None:
        return self._subscription.why_unready() if self._subscription else "not subscribed yet"
