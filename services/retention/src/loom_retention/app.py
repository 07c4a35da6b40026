"""What retention is made of, put together by passing arguments."""

from __future__ import annotations

from loom.stores.event_store import EventStore
from loom_retention.archive import FolderArchive
from loom_retention.calls import PATHS
from loom_retention.catalogue import Catalogue
from loom_retention.routes import router
from loom_retention.settings import RetentionSettings
from loom_retention.sweep import Rounds, Sweeper
from loom_servicekit.app import Service
from loom_servicekit.endpoints import schemas_of
from loom_servicekit.fleet import Heartbeats


def build_service(settings: RetentionSettings, *, store: EventStore, catalogue: Catalogue, owner: str) -> Service:
    """`owner` names this process in duties and in the fleet. The caller opens and closes `store` and `catalogue`."""
    archive = FolderArchive(settings.archive) if settings.archive else None
    sweeper = Sweeper(store, catalogue, archive, settings.keep)
    rounds = Rounds(store, sweeper, catalogue, owner, every_ms=settings.retention_every_ms)
    return Service(
        name="retention",
        routers=(router(catalogue, rounds, settings.keep),),
        background=(Heartbeats(store, "retention", owner, leans_on_store=True), rounds),
        schemas=schemas_of(PATHS),
    )
