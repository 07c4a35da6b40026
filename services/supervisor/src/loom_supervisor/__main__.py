"""The supervisor as a process of its own, against the REST APIs of an event store and of timers."""

from __future__ import annotations

from loom.client.event_store import HttpEventStore
from loom.client.timers import HttpTimerStore
from loom_servicekit.alone import run_alone, serve_alone
from loom_servicekit.bus.opening import open_bus
from loom_servicekit.duties import new_owner
from loom_supervisor.app import build_service
from loom_supervisor.settings import SupervisorSettings


def main() -> None:
    """Serve until SIGINT or SIGTERM, then finish the hints at hand and give its duties up."""
    run_alone(SupervisorSettings, serve)


async def serve(settings: SupervisorSettings) -> None:
    """Until told to stop."""
    async with (
        HttpEventStore(settings.event_store_url) as store,
        HttpTimerStore(settings.timers_url) as timers,
        open_bus(settings.kafka, service="supervisor") as (bus, checks),
    ):
        service = build_service(settings, store=store, timers=timers, bus=bus, owner=new_owner())
        await serve_alone([*checks, service], settings, title="Loom supervisor")


if __name__ == "__main__":
    main()
