"""The timers service alone, against an event store's REST API."""

from __future__ import annotations

import asyncio
import logging

from loom.client.event_store import HttpEventStore
from loom.client.timers import HttpRedriver
from loom_servicekit.app import create_app, server
from loom_servicekit.bus.in_process import InProcessBus
from loom_servicekit.duties import new_owner
from loom_servicekit.settings import settings_or_exit
from loom_timers.app import build_service
from loom_timers.data import open_timer_store
from loom_timers.settings import TimersSettings

log = logging.getLogger("loom_timers")


def main() -> None:
    """Run until told to stop. Without a bus between processes, its sweep alone finds what to do."""
    settings = settings_or_exit(TimersSettings)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)
    log.info("timers on http://%s:%d, event store at %s", settings.host, settings.port, settings.event_store_url)
    asyncio.run(serve(settings))


async def serve(settings: TimersSettings) -> None:
    """Until told to stop."""
    async with open_timer_store(settings) as (timers, checks):
        service = build_service(
            settings,
            store=HttpEventStore(settings.event_store_url),
            timers=timers,
            bus=InProcessBus(),
            redrivers=[HttpRedriver(url) for url in settings.redrivers],
            owner=new_owner(),
        )
        app = create_app([*checks, service], title="Loom timers")
        await server(app, host=settings.host, port=settings.port).serve()


if __name__ == "__main__":
    main()
