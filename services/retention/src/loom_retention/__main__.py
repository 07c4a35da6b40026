"""Retention alone, against an event store's REST API."""

from __future__ import annotations

import logging

from loom.client.event_store import HttpEventStore
from loom_retention.app import build_service
from loom_retention.settings import RetentionSettings
from loom_retention.store import open_catalogue
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
    settings.data.mkdir(parents=True, exist_ok=True)
    catalogue = open_catalogue(settings.file)
    try:
        store = HttpEventStore(settings.event_store_url)
        service = build_service(settings, store=store, catalogue=catalogue, owner=new_owner())
        server(create_app([service], title="Loom retention"), host=settings.host, port=settings.port).run()
    finally:
        catalogue.close()


if __name__ == "__main__":
    main()
