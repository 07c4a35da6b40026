"""Wires the event store: routes, held polls and the relay over one store and one bus."""

from __future__ import annotations

from typing import Any, Protocol

from loom.stores.event_store import EventStore, Outbox
from loom_event_store.longpolls import LongPolls
from loom_event_store.relay import Relay
from loom_event_store.routes import router
from loom_event_store.schemas import components
from loom_event_store.settings import EventStoreSettings
from loom_servicekit.app import Service
from loom_servicekit.bus.port import MessageBus
from loom_servicekit.duties import new_owner
from loom_servicekit.fleet import Heartbeats


class OwnStore(EventStore, Outbox, Protocol):
    """A store as its owner has it: the port, and the outbox that the relay empties."""


def build_service(
    settings: EventStoreSettings, *, store: OwnStore, bus: MessageBus, owner: str | None = None
) -> Service:
    """The service over `store`, which whoever opened it closes after the service has stopped.

    `owner` names this process in the relay's duty and in the fleet; without one it is named anew at each start.
    """
    owner = owner or new_owner()
    relay = Relay(store, store, bus, owner)
    polls = LongPolls(store, bus)

    def wrote(call: Any) -> None:
        polls.wrote(call)
        relay.wake()

    return Service(
        name="event-store",
        routers=(router(store, settings.limits, polls, wrote),),
        background=(polls, relay, Heartbeats(store, "event-store", owner, leans_on_store=False)),
        schemas=components(),
        body_bytes=settings.body_bytes,
    )
