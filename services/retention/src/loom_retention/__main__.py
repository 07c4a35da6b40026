"""Retention as a process of its own, against an event store's REST API."""

from __future__ import annotations

from loom.client.event_store import HttpEventStore
from loom_retention.app import build_service
from loom_retention.data import open_own_tables
from loom_retention.settings import RetentionSettings
from loom_servicekit.alone import run_alone, serve_alone
from loom_servicekit.duties import new_owner


def main() -> None:
    """Serve until SIGINT or SIGTERM, then finish the sweep's page at hand and give its duty up."""
    run_alone(RetentionSettings, serve)


async def serve(settings: RetentionSettings) -> None:
    """Until told to stop."""
    async with open_own_tables(settings) as (catalogue, checks), HttpEventStore(settings.event_store_url) as store:
        service = build_service(settings, store=store, catalogue=catalogue, owner=new_owner())
        await serve_alone([*checks, service], settings, title="Loom retention")


if __name__ == "__main__":
    main()
