"""Request bodies: bounded before they are read to the end, and JSON that says so."""

from __future__ import annotations

import asyncio
import contextlib

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from loom.errors import Invalid, TooLarge
from loom_servicekit.problems import problem_response

LINGER_BYTES = 64 << 20
LINGER_S = 2.0


async def read_json(request: Request) -> bytes:
    """The body, which says that it is JSON: a page of another origin cannot say so without asking first."""
    body = await request.body()
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if body and media_type != "application/json":
        raise Invalid("the body should be sent with the header Content-Type: application/json")
    return body


class BodyLimit:
    """Pure ASGI: reads a body of at most `body_bytes` and hands it on in one piece; a longer one is `too-large`."""

    def __init__(self, app: ASGIApp, body_bytes: int) -> None:
        self._app = app
        self._body_bytes = body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        if _announced(scope) > self._body_bytes:
            return await self._refuse(scope, receive, send, more=True)
        body = bytearray()
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > self._body_bytes:
                return await self._refuse(scope, receive, send, more=more)
        await self._app(scope, _replayed(bytes(body), receive), send)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send, *, more: bool) -> None:
        """Answer, then let the sender finish for a while: a connection closed on unread bytes loses the answer."""
        error = TooLarge(f"the body is over {self._body_bytes} bytes: send less at a time")
        answer = problem_response(error, scope["path"])
        headers = [*answer.raw_headers, (b"connection", b"close")]
        await send({"type": "http.response.start", "status": answer.status_code, "headers": headers})
        await send({"type": "http.response.body", "body": bytes(answer.body), "more_body": True})
        if more:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(_drain(receive), LINGER_S)
        await send({"type": "http.response.body", "body": b""})


def _announced(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length":
            return int(value)
    return 0


def _replayed(body: bytes, receive: Receive) -> Receive:
    first: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return first.pop() if first else await receive()

    return replay


async def _drain(receive: Receive) -> None:
    left = LINGER_BYTES
    while left > 0:
        message = await receive()
        left -= len(message.get("body", b""))
        if not message.get("more_body", False):
            return
