"""Retention alone, against an event store's REST API."""

from __future__ import annotations

import asyncio
import logging

from loom.client.event_store import HttpEventStore
from loom_retention.app import build_service
from loom_retention.data import open_own_tables
from loom_retention.settings import RetentionSettings
from loom_servicekit.app import create_app, server
from loom_servicekit.duties import new_owner
from loom_servicekit.settings import settings_or_exit

log = logging.getLogger("loom_retention")


def main() -> None:
    """Run until told to stop."""
    settings = settings_or_exit(RetentionSettings)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)
    log.info("retention on http://%s:%d, event store at %s", settings.host, settings.port, settings.event_store_url)
    asyncio.run(serve(settings))


async def serve(settings: RetentionSettings) -> None:
    """Until told to stop."""
    async with open_own_tables(settings) as (catalogue, checks):
        store = HttpEventStore(settings.event_store_url)
        service = build_service(settings, store=store, catalogue=catalogue, owner=new_owner())
        app = create_app([*checks, service], title="Loom retention")
        await server(app, host=settings.host, port=settings.port).serve()


if __name__ == "__main__":
    main()
