"""The timers service as a process of its own, against an event store's REST API."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from loom.client.event_store import HttpEventStore
from loom.client.timers import HttpRedriver
from loom_servicekit.alone import run_alone, serve_alone
from loom_servicekit.bus.opening import open_bus
from loom_servicekit.duties import new_owner
from loom_timers.app import build_service
from loom_timers.data import open_timer_store
from loom_timers.settings import TimersSettings


def main() -> None:
    """Serve until SIGINT or SIGTERM, then finish what is due and at hand and give its duty up."""
    run_alone(TimersSettings, serve)


async def serve(settings: TimersSettings) -> None:
    """Until told to stop."""
    async with (
        open_timer_store(settings) as (timers, checks),
        HttpEventStore(settings.event_store_url) as store,
        _open_redrivers(settings.redrivers) as redrivers,
        open_bus(settings.kafka, service="timers") as (bus, bus_checks),
    ):
        service = build_service(settings, store=store, timers=timers, bus=bus, redrivers=redrivers, owner=new_owner())
        await serve_alone([*checks, *bus_checks, service], settings, title="Loom timers")


@asynccontextmanager
async def _open_redrivers(urls: Sequence[str]) -> AsyncIterator[list[HttpRedriver]]:
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(HttpRedriver(url)) for url in urls]


if __name__ == "__main__":
    main()
