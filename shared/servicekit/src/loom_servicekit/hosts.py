"""Who may be meant by a request: on loopback, nobody but this machine's own names."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send

from loom.errors import Forbidden
from loom_servicekit.problems import problem_response


class LoopbackHosts:
    """Pure ASGI: refuses a request whose Host is no name of loopback.

    A page of another site can have its own name answered with 127.0.0.1 and then counts as of one origin with us, so
    that its browser lets it read and write. The name it was fetched by stays in Host.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not _is_ours(scope):
            detail = "this service listens on loopback and answers to localhost or 127.0.0.1 only: use that in the URL"
            await problem_response(Forbidden(detail), scope["path"])(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def is_loopback(host: str) -> bool:
    """Is it a name or an address of loopback, without a port?"""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_ours(scope: Scope) -> bool:
    hosts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
    return len(hosts) == 1 and is_loopback(_without_port(hosts[0]))


def _without_port(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
