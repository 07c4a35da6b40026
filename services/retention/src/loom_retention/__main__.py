"""Retention alone, against an event store's REST API."""

from __future__ import annotations

from loom.client.event_store import HttpEventStore
from loom_retention.app import build_service
from loom_retention.settings import RetentionSettings
from loom_retention.store import open_catalogue
from loom_servicekit.app import create_app, server
from loom_servicekit.duties import new_owner
from loom_servicekit.settings import settings_or_exit


def main() -> None:
    """Run until told to stop."""
    settings = settings_or_exit(RetentionSettings)
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
