"""The supervisor alone, against the REST APIs of an event store and of timers."""

from __future__ import annotations

import logging

from loom.client.event_store import HttpEventStore
from loom.client.timers import HttpTimerStore
from loom_servicekit.app import create_app, server
from loom_servicekit.bus.in_process import InProcessBus
from loom_servicekit.duties import new_owner
from loom_servicekit.settings import settings_or_exit
from loom_supervisor.app import build_service
from loom_supervisor.settings import SupervisorSettings

log = logging.getLogger("loom_supervisor")


def main() -> None:
    """Run until told to stop. Without a bus between processes, its sweeps alone find what to do."""
    settings = settings_or_exit(SupervisorSettings)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)
    log.info("supervisor on http://%s:%d, event store at %s", settings.host, settings.port, settings.event_store_url)
    service = build_service(
        settings,
        store=HttpEventStore(settings.event_store_url),
        timers=HttpTimerStore(settings.timers_url),
        bus=InProcessBus(),
        owner=new_owner(),
    )
    server(create_app([service], title="Loom supervisor"), host=settings.host, port=settings.port).run()


if __name__ == "__main__":
    main()
