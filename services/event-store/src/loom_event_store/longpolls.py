"""Polls that are held while there is nothing: of `claims` by queue, of logs by execution."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar

from starlette.types import Receive

from loom.kernel import calls as c
from loom.kernel.heads import ENDED, Status
from loom.kernel.hints import Hint, NotifyResume
from loom.stores.event_store import EventStore
from loom_servicekit.bus.port import MessageBus, Subscription

HELD_S = 60.0
LOOK_AGAIN_S = 2.0  # what no hint announced is found by then

_Found = TypeVar("_Found")
_Place = tuple[str, str, str]  # what is waited for: claims or events, namespace, queue or execution


class LongPolls:
    """Holds each poll until there is something, its `wait_ms` is over, its caller hung up, or the service stops.

    Hints ring; every poll also looks again by itself, so a lost hint costs `look_again_s`. `stop` ends all at once.
    """

    def __init__(self, store: EventStore, bus: MessageBus, *, look_again_s: float = LOOK_AGAIN_S) -> None:
        self._store = store
        self._bus = bus
        self._look_again_s = look_again_s
        self._bells: defaultdict[_Place, set[asyncio.Event]] = defaultdict(set)
        self._stopping = False
        self._subscription: Subscription | None = None

    async def start(self) -> None:
        self._stopping = False
        self._subscription = self._bus.subscribe((NotifyResume,), self._heard, group=None, missed=self._ring_all)

    async def stop(self) -> None:
        self._stopping = True
        self._ring_all()
        if self._subscription is not None:
            await self._subscription.stop()

    def why_unready(self) -> str | None:
        return self._subscription.why_unready() if self._subscription else "not started"

    async def claim_runnable(self, call: c.ClaimRunnable, receive: Receive) -> c.Claims:
        """What can be claimed, as soon as there is something; nothing is claimed for a caller that hung up."""
        place = ("claims", call.namespace, call.queue)
        return await self._hold(place, call.wait_ms, receive, lambda: self._store.claim_runnable(call), _has_claims)

    async def read_events(self, call: c.ReadEvents, receive: Receive) -> c.Log:
        """The events asked for, as soon as there is one, or there can be none any more."""
        place = ("events", call.namespace, call.execution_id)
        return await self._hold(place, call.wait_ms, receive, lambda: self._store.read_events(call), _has_events)

    def wrote(self, call: Any) -> None:
        """A call has written to the logs that it addresses."""
        for execution_id in [getattr(call, "execution_id", None), *_executions_of(call)]:
            if execution_id is not None:
                self._ring(("events", call.namespace, execution_id))

    async def _heard(self, hint: Hint) -> None:
        if isinstance(hint, NotifyResume):
            self._ring(("events", hint.namespace, hint.execution))
            if hint.queue is not None:
                self._ring(("claims", hint.namespace, hint.queue))

    def _ring_all(self) -> None:
        """Something may have passed unheard: every poll looks once."""
        for place in tuple(self._bells):
            self._ring(place)

    def _ring(self, place: _Place) -> None:
        for bell in self._bells.get(place, ()):
            bell.set()

    async def _hold(
        self,
        place: _Place,
        wait_ms: int,
        receive: Receive,
        look: Callable[[], Awaitable[_Found]],
        is_enough: Callable[[_Found], bool],
    ) -> _Found:
        if not wait_ms:
            return await look()
        clock = asyncio.get_running_loop()
        deadline = clock.time() + min(wait_ms / 1000, HELD_S)
        bell = asyncio.Event()
        self._bells[place].add(bell)  # before the first look, so that nothing rings unheard
        hung_up = asyncio.create_task(_wait_for_hang_up(receive, bell))
        try:
            found = await look()
            while not is_enough(found) and not self._stopping and (left := deadline - clock.time()) > 0:
                with suppress(TimeoutError):
                    await asyncio.wait_for(bell.wait(), min(left, self._look_again_s))
                if hung_up.done():
                    break
                bell.clear()
                found = await look()
            return found
        finally:
            hung_up.cancel()
            self._silence(place, bell)

    def _silence(self, place: _Place, bell: asyncio.Event) -> None:
        self._bells[place].discard(bell)
        if not self._bells[place]:
            del self._bells[place]


async def _wait_for_hang_up(receive: Receive, bell: asyncio.Event) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    bell.set()


def _has_claims(claims: c.Claims) -> bool:
    return bool(claims.items)


def _has_events(log: c.Log) -> bool:
    return bool(log.events) or log.status in {*ENDED, Status.DELETED}


def _executions_of(call: Any) -> list[str]:
    return [item.execution_id for item in call.items] if isinstance(call, c.AppendBatch) else []
