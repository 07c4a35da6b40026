"""Errors on the wire, as RFC 9457 problems: the only mapping."""

from __future__ import annotations

import logging
import math

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from loom import tracing
from loom.errors import Invalid, LoomError, NotFound
from loom.kernel.raw_json import RawJson, encode

log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"


def problem_of(error: LoomError, instance: str, status: int | None = None) -> RawJson:
    """The problem's JSON text: the members of RFC 9457, `code`, `retryable`, and the error's facts."""
    problem = {
        "type": f"urn:loom:problem:{error.code}",
        "title": error.title,
        "status": status or error.status,
        "detail": error.detail,
        "instance": instance,
        "code": error.code,
        "retryable": error.retryable,
    }
    return encode({**error.facts, **problem})


def problem_response(error: LoomError, instance: str, status: int | None = None) -> Response:
    """The answer that carries the problem, with Retry-After in whole seconds where coming back may help."""
    headers = {}
    if error.retry_after_ms is not None:
        headers["Retry-After"] = str(math.ceil(error.retry_after_ms / 1000))
    body = problem_of(error, instance, status).encode("utf-8", "replace")
    return Response(body, status or error.status, headers, MEDIA_TYPE)


def add_problem_handlers(app: FastAPI) -> None:
    """Answer every error as a problem; a fault of our own is logged once and told without its particulars."""

    @app.exception_handler(LoomError)
    async def _(request: Request, error: LoomError) -> Response:
        tracing.tell_refusal(error)
        return problem_response(error, request.url.path)

    @app.exception_handler(HTTPException)
    async def _(request: Request, error: HTTPException) -> Response:
        told: LoomError = Invalid(f"{request.method} is not offered here")
        if error.status_code == 404:
            told = NotFound("there is no such resource: see /docs")
        answer = problem_response(told, request.url.path, error.status_code)
        answer.headers.update(error.headers or {})
        return answer

    @app.exception_handler(Exception)
    async def _(request: Request, error: Exception) -> Response:
        log.error("%s %s failed", request.method, request.url.path, exc_info=error)
        return Response(_FAULT, 500, media_type=MEDIA_TYPE)


_FAULT = encode(
    {
        "type": "urn:loom:problem:internal",
        "title": "A fault of the service",
        "status": 500,
        "detail": "the outcome is unknown: read before you repeat; the service's log says more",
        "code": "internal",
        "retryable": False,
    }
)
