"""All four services over one folder: the only place that knows them all. Each is wired as it is when it runs alone."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from loom_event_store.app import build_service as build_event_store
from loom_event_store.data import open_store
from loom_event_store.settings import EventStoreSettings
from loom_retention.app import build_service as build_retention
from loom_retention.settings import RetentionSettings
from loom_retention.store import open_catalogue
from loom_servicekit.app import Service
from loom_servicekit.bus.in_process import InProcessBus
from loom_servicekit.settings import read_settings
from loom_supervisor.app import build_redriver
from loom_supervisor.app import build_service as build_supervisor
from loom_supervisor.settings import SupervisorSettings
from loom_timers.app import build_service as build_timers
from loom_timers.settings import TimersSettings
from loom_timers.store import open_timers

OWNER = "loom-dev"
"""Of every duty. Who holds the folder's lock knows that an earlier one of this name is dead: it waits for nobody."""

Cluster = tuple[Service, ...]


@contextmanager
def open_cluster(data: Path, environ: Mapping[str, str], only: Container[str]) -> Iterator[Cluster]:
    """The services over the files in `data`, which are made if need be and closed afterwards; `only` those so named.

    The services speak to the event store and to timers through their ports, which here lead to the files themselves.
    The event store is the last: whoever hears its hints is there when it starts to publish, and still when it stops.
    """
    settings = {**environ, "LOOM_DATA": str(data), "LOOM_HOST": "127.0.0.1"}  # where to listen is the caller's business
    of_event_store = read_settings(EventStoreSettings, settings)
    of_supervisor = read_settings(SupervisorSettings, settings)
    of_timers = read_settings(TimersSettings, settings)
    of_retention = read_settings(RetentionSettings, settings)
    bus = InProcessBus()
    with (
        closing(open_store(of_event_store)) as store,
        closing(open_timers(of_timers.file)) as timers,
        closing(open_catalogue(of_retention.file)) as catalogue,
    ):
        services = (
            build_supervisor(of_supervisor, store=store, timers=timers, bus=bus, owner=OWNER),
            build_timers(
                of_timers,
                store=store,
                timers=timers,
                bus=bus,
                redrivers=[build_redriver(store)],
                owner=OWNER,
            ),
            build_retention(of_retention, store=store, catalogue=catalogue, owner=OWNER),
            build_event_store(of_event_store, store=store, bus=bus, owner=OWNER),
        )
        yield tuple(service for service in services if service.name in only)
