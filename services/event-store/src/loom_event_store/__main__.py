"""Runs the event store by itself: SQLite in a folder, REST on loopback."""

from __future__ import annotations

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
    store = open_store(settings)
    try:
        app = create_app([build_service(settings, store=store, bus=InProcessBus())], title="Loom event store")
        log.info("event store on http://%s:%d, data in %s", settings.host, settings.port, settings.data)
        server(app, host=settings.host, port=settings.port).run()
    finally:
        store.close()


if __name__ == "__main__":
    main()
