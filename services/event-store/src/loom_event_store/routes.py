"""The port over REST: one route for each call of the path table."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from loom import tracing
from loom.errors import Superseded
from loom.kernel.limits import Limits
from loom.kernel.raw_json import encode
from loom.stores.event_store import EventStore
from loom.stores.surfaces import SURFACES
from loom.wire.codec import KEY_HEADER, read_call
from loom.wire.paths import PATHS, Path
from loom_event_store.longpolls import LongPolls
from loom_event_store.schemas import SURFACES_ANSWER, operation
from loom_servicekit.bodies import read_json
from loom_servicekit.counts import Count

REFUSED = {
    surface.call: Count(f"loom.refused.{surface.name}", f"Late writes refused on the surface {surface.name}")
    for surface in SURFACES
}
"""By the method of the port, one for each surface (law 3)."""

Perform = Callable[[Any, Request], Awaitable[Any]]


def router(store: EventStore, limits: Limits, polls: LongPolls, wrote: Callable[[Any], None]) -> APIRouter:
    """Every call of the port, and the table of surfaces. `wrote` hears of each call that has written."""
    routes = APIRouter(tags=["event store"])
    for path in PATHS:
        routes.add_api_route(
            _mounted(path),
            _endpoint(path, limits, _perform(path, store, polls, wrote)),
            methods=[path.method],
            status_code=path.status,
            summary=path.summary,
            operation_id=path.port,
            response_class=Response,
            openapi_extra=operation(path),
        )
    surfaces = Response(encode(SURFACES).encode(), media_type="application/json")

    @routes.get(
        "/v1/surfaces",
        summary="The table of surfaces",
        response_class=Response,
        openapi_extra={"responses": SURFACES_ANSWER},
    )
    async def read_surfaces() -> Response:
        return surfaces

    return routes


def _endpoint(path: Path, limits: Limits, perform: Perform) -> Callable[[Request], Awaitable[Response]]:
    """The body is read as bytes and decoded once, by the scanner; whether the call makes sense the store judges."""

    async def endpoint(request: Request) -> Response:
        call = read_call(
            path,
            raw_path=request.scope["raw_path"],
            query=request.scope["query_string"],
            key=request.headers.get(KEY_HEADER),
            body=await read_json(request),
            limits=limits,
        )
        tracing.tell_call(call)
        answer = await perform(call, request)
        return Response(encode(answer).encode(), path.status, media_type="application/json")

    endpoint.__name__ = path.port
    return endpoint


def _perform(path: Path, store: EventStore, polls: LongPolls, wrote: Callable[[Any], None]) -> Perform:
    act = getattr(store, path.port)

    async def hold(call: Any, request: Request) -> Any:
        return await getattr(polls, path.port)(call, request.receive)

    async def read(call: Any, request: Request) -> Any:
        return await act(call)

    async def write(call: Any, request: Request) -> Any:
        try:
            answer = await act(call)
        except Superseded as error:
            if path.port in REFUSED:
                REFUSED[path.port].add(code=error.code)
            tracing.tell_refusal(error, getattr(getattr(call, "credential", None), "token", None))
            raise
        wrote(call)
        return answer

    return hold if path.long_poll else read if path.method == "GET" else write


def _mounted(path: Path) -> str:
    """The template as the router matches it; `read_call` reads the raw path, where %2F is no border."""
    return path.template.replace("{owner}", "{owner:path}").replace("{name}", "{name:path}")
