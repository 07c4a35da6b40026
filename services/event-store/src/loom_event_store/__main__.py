"""The event store as a process of its own: SQLite in a folder or a Postgres database, REST on loopback."""

from __future__ import annotations

from loom_event_store.app import build_service
from loom_event_store.data import open_store
from loom_event_store.settings import EventStoreSettings
from loom_servicekit.alone import run_alone, serve_alone
from loom_servicekit.bus.opening import open_bus


def main() -> None:
    """Serve until SIGINT or SIGTERM, then finish what was accepted and close the store."""
    run_alone(EventStoreSettings, serve)


async def serve(settings: EventStoreSettings) -> None:
    """Until told to stop."""
    async with (
        open_store(settings) as (store, checks),
        open_bus(settings.kafka, service="event-store") as (bus, bus_checks),
    ):
        service = build_service(settings, store=store, bus=bus)
        await serve_alone([*checks, *bus_checks, service], settings, title="Loom event store")


if __name__ == "__main__":
    main()
