"""Rows over REST: other services schedule and retire re-drives, `loom why` reads when the next try is."""

from __future__ import annotations

from fastapi import APIRouter

from loom.client.timers import READ, RETIRE, SCHEDULE
from loom.stores.timer_store import TimerRows
from loom_servicekit.endpoints import router_of

PATHS = (SCHEDULE, RETIRE, READ)


def router(timers: TimerRows) -> APIRouter:
    """The resource `timers`."""
    return router_of("timers", {SCHEDULE: timers.schedule, RETIRE: timers.retire, READ: timers.read})
