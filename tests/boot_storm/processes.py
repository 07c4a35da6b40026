"""The processes of a storm: real ones, forked from one that has loaded the programs, so that they start at once."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import sys
from multiprocessing.process import BaseProcess

from fixtures.postgres import free_port

PRELOADED = [
    "loom_cli.__main__",
    "loom_event_store.__main__",
    "loom_event_store.postgres.store",
    "loom_timers.__main__",
    "loom_timers.schema",
    "loom_retention.__main__",
    "loom_retention.schema",
    "loom_servicekit.migrated",
]
SERVICES = ("event-store", "timers", "retention")


def context() -> multiprocessing.context.ForkServerContext:
    """Where the processes come from."""
    found = multiprocessing.get_context("forkserver")
    found.set_forkserver_preload(PRELOADED)
    return found


def start_migrate(url: str, locked: bool) -> BaseProcess:
    """`loom migrate` on the owner's URL."""
    process = context().Process(target=_migrate, args=(url, locked))
    process.start()
    return process


def _migrate(url: str, locked: bool) -> None:
    from loom_cli.__main__ import main
    from loom_servicekit import migrations

    if not locked:
        migrations._SQL["take_lock"] = "SELECT true"
    sys.stdout = sys.stderr = open("/dev/null", "w")  # noqa: SIM115 - until the process ends
    sys.exit(main(["migrate", "--database", url]))


def start_service(name: str, url: str, event_store_url: str, port: int) -> BaseProcess:
    """A service on the application's URL."""
    process = context().Process(target=_serve, args=(name, url, event_store_url, port))
    process.start()
    return process


def _serve(name: str, url: str, event_store_url: str, port: int) -> None:
    logging.disable(logging.CRITICAL)
    asyncio.run(_run(name, url, event_store_url, port))


async def _run(name: str, url: str, event_store_url: str, port: int) -> None:
    import loom_event_store.__main__ as event_store
    import loom_retention.__main__ as retention
    import loom_timers.__main__ as timers
    from loom_event_store.settings import EventStoreSettings
    from loom_retention.settings import RetentionSettings
    from loom_timers.settings import TimersSettings

    if name == "event-store":
        await event_store.serve(EventStoreSettings(port=port, db_url=url))
    elif name == "timers":
        await timers.serve(TimersSettings(port=port, db_url=url, event_store_url=event_store_url))
    else:
        await retention.serve(RetentionSettings(port=port, db_url=url, event_store_url=event_store_url))


def ports(count: int) -> list[int]:
    """Free ones, all different."""
    found: set[int] = set()
    while len(found) < count:
        found.add(free_port())
    return sorted(found)
