"""Calls mounted as routes: read strictly, judged for form, answered as JSON, by the paths that a client walks too."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from fastapi import APIRouter
from pydantic import TypeAdapter
from starlette.requests import Request
from starlette.responses import Response

from loom.kernel.limits import Limits
from loom.kernel.raw_json import encode
from loom.kernel.wellformed import check_wellformed
from loom.wire.codec import read_call
from loom.wire.paths import Path
from loom_servicekit.bodies import read_json

Act = Callable[[Any], Awaitable[Any]]
"""What is done about a call of the path's kind; gives the path's answer, or raises a LoomError."""

_LIMITS = Limits()
_REF = "#/components/schemas/{model}"


def router_of(tag: str, acts: Mapping[Path, Act]) -> APIRouter:
    """A router with one route for each path."""
    routes = APIRouter(tags=[tag])
    for path, act in acts.items():
        routes.add_api_route(
            path.template,
            _endpoint(path, act),
            methods=[path.method],
            status_code=path.status,
            summary=path.summary,
            operation_id=path.port,
            response_class=Response,
            openapi_extra=_operation(path),
        )
    return routes


def schemas_of(paths: Iterable[Path]) -> dict[str, Any]:
    """The components that the routes of these paths refer to."""
    components: dict[str, Any] = {}
    for noun in (noun for path in paths for noun in (path.call, path.answer)):
        schema = TypeAdapter(noun).json_schema(ref_template=_REF)
        components.update(schema.pop("$defs", {}))
        components[noun.__name__] = schema
    return components


def _endpoint(path: Path, act: Act) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        call = read_call(
            path,
            raw_path=request.scope["raw_path"],
            query=request.scope["query_string"],
            key=None,
            body=await read_json(request),
            limits=_LIMITS,
        )
        check_wellformed(call, _LIMITS)
        return Response(encode(await act(call)).encode(), path.status, media_type="application/json")

    endpoint.__name__ = path.port
    return endpoint


def _operation(path: Path) -> dict[str, Any]:
    answer = {"application/json": {"schema": {"$ref": _REF.format(model=path.answer.__name__)}}}
    described: dict[str, Any] = {
        "parameters": [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in path.in_path
        ],
        "responses": {str(path.status): {"description": "Done", "content": answer}},
    }
    if path.has_body:
        schema = {"$ref": _REF.format(model=path.call.__name__)}
        described["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
    return described
