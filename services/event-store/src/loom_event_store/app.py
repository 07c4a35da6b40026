"""Wires the event store: routes and held polls over one store and one bus."""

from __future__ import annotations

from loom.stores.event_store import EventStore
from loom_event_store.longpolls import LongPolls
from loom_event_store.routes import router
from loom_event_store.schemas import components
from loom_event_store.settings import EventStoreSettings
from loom_servicekit.app import Background, Service
from loom_servicekit.bus.port import MessageBus


def build_service(
    settings: EventStoreSettings, *, store: EventStore, bus: MessageBus, relay: Background | None = None
) -> Service:
    """The service over `store`. `relay` publishes its outbox; without one, whoever opened the store does."""
    polls = LongPolls(store, bus)
    return Service(
        name="event-store",
        routers=(router(store, settings.limits, polls),),
        background=(polls, *([relay] if relay else [])),
        schemas=components(),
        body_bytes=settings.body_bytes,
    )
