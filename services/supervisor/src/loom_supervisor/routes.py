"""What timers asks."""

from __future__ import annotations

from fastapi import APIRouter

from loom.client.timers import REDRIVE
from loom.stores.timer_store import Redriver
from loom_servicekit.endpoints import router_of

PATHS = (REDRIVE,)


def router(redriver: Redriver) -> APIRouter:
    """The resource `redrives`."""
    return router_of("supervisor", {REDRIVE: redriver.redrive})
