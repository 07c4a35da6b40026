"""A span for each request that is an act, named by the template of its path."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from loom import tracing

_CARRIED = {b"traceparent": "traceparent", b"tracestate": "tracestate"}


class RequestSpans:
    """Pure ASGI, outermost: refusals of the layers below are answers like others."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not tracing.is_on():
            return await self._app(scope, receive, send)
        with tracing.server_request(scope["method"], scope["path"], _contexts_in(scope)) as span:
            if span is None:
                return await self._app(scope, receive, send)
            status = 500

            async def watch(message: Message) -> None:
                nonlocal status
                if message["type"] == "http.response.start":
                    status = message["status"]
                await send(message)

            try:
                await self._app(scope, receive, watch)
            finally:
                tracing.tell_response(span, scope["method"], _template_of(scope), status, scope.get("path_params", {}))


def _contexts_in(scope: Scope) -> Mapping[str, str]:
    return {_CARRIED[name]: value.decode("latin-1") for name, value in scope["headers"] if name in _CARRIED}


def _template_of(scope: Scope) -> str:
    """As the path table writes it; `*` for what no route took."""
    template: str = getattr(scope.get("route"), "path", "*")
    return template.replace(":path}", "}")
