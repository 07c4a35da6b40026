"""What timers asks."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from loom.kernel.raw_json import encode
from loom.stores.timer_store import Redrive, Redriven, Redriver


def router(redriver: Redriver) -> APIRouter:
    """The resource `redrives`."""
    routes = APIRouter(tags=["redrives"])

    @routes.post("/v1/redrives", response_model=Redriven, summary="Derive a contended resume again")
    async def redrive(call: Redrive) -> Response:
        return Response(encode(await redriver.redrive(call)), media_type="application/json")

    return routes
