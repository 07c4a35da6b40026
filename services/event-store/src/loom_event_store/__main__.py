"""Runs the event store by itself: SQLite in a folder or a Postgres database, REST on loopback."""

from __future__ import annotations

import asyncio
import logging

from loom_event_store.app import build_service
from loom_event_store.data import open_store
from loom_event_store.settings import EventStoreSettings
from loom_servicekit.app import create_app, server
from loom_servicekit.bus.in_process import InProcessBus
from loom_servicekit.settings import settings_or_exit

log = logging.getLogger("loom_event_store")


def main() -> None:
    """Serve until SIGINT or SIGTERM, then finish what was accepted and close the store."""
    settings = settings_or_exit(EventStoreSettings)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    asyncio.run(serve(settings))


async def serve(settings: EventStoreSettings) -> None:
    """Until told to stop."""
    async with open_store(settings) as (store, checks):
        service = build_service(settings, store=store, bus=InProcessBus())
        kept = f"data in {settings.data}" if settings.db_url is None else "data in Postgres"
        log.info("event store on http://%s:%d, %s", settings.host, settings.port, kept)
        app = create_app([*checks, service], title="Loom event store")
        await server(app, host=settings.host, port=settings.port).serve()


if __name__ == "__main__":
    main()
