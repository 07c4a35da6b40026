"""One HTTP client for everything that is spoken over HTTP: deadlines, bounded repeats, problems as errors."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Self

import httpx
from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_random_exponential

from loom import tracing
from loom.errors import ERRORS, Busy, Invalid, LoomError, StoreUnavailable, TooLarge

DEADLINE_S = 10.0
CONNECT_S = 2.0
IDLE_S = 5.0  # less than any service keeps an idle connection, so that no request meets a closing one
ATTEMPTS = 4
BACKOFF_S, BACKOFF_CAP_S = 0.05, 1.0

_MEMBERS = frozenset({"type", "title", "status", "detail", "instance", "code", "retryable"})


class HttpClient:
    """Speaks to one service. An answer that is no success is raised as the error that its problem names.

    What is known to have done nothing (no connection, `busy`, `unavailable`, 502 to 504) is repeated, unchanged and
    with its Idempotency-Key, up to `attempts` times. A connection lost half-way is `unavailable`, and nobody knows what
    was done.
    """

    def __init__(
        self, url: str, *, transport: httpx.AsyncBaseTransport | None = None, attempts: int = ATTEMPTS
    ) -> None:
        limits = httpx.Limits(max_connections=256, max_keepalive_connections=64, keepalive_expiry=IDLE_S)
        self._client = httpx.AsyncClient(
            base_url=url,
            transport=transport,
            limits=limits,
            trust_env=False,
            verify=url.startswith("https:"),  # to load certificates takes longer than all the rest
        )
        self._attempts = attempts

    async def call(
        self,
        method: str,
        url: str,
        *,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        wait_ms: int = 0,
        template: str | None = None,
    ) -> bytes:
        """The body of the answer. `wait_ms`: how long the service was asked to hold it back, on top of the deadline.

        `template`: of which the path was made, for the name of the request's span.
        """
        with tracing.client_request(method, template or "", held=wait_ms > 0) as context:
            return await self._call(method, url, body, {**(headers or {}), **context}, wait_ms)

    async def _call(self, method: str, url: str, body: bytes | None, headers: Mapping[str, str], wait_ms: int) -> bytes:
        sent = {**headers, **({} if body is None else {"Content-Type": "application/json"})}
        timeout = httpx.Timeout(DEADLINE_S, connect=CONNECT_S, read=DEADLINE_S + wait_ms / 1000)
        tries = AsyncRetrying(
            retry=retry_if_exception(lambda error: isinstance(error, _NothingDone)),
            stop=stop_after_attempt(self._attempts),
            wait=wait_random_exponential(multiplier=BACKOFF_S, max=BACKOFF_CAP_S),
            reraise=True,
        )
        request = self._client.build_request(method, url, content=body, headers=sent, timeout=timeout)
        try:
            return await tries(self._send, request)
        except _NothingDone as nothing:
            raise nothing.error from nothing.__cause__

    async def close(self) -> None:
        await self._client.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    async def _send(self, request: httpx.Request) -> bytes:
        try:
            answer = await self._client.send(request)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            raise _NothingDone(StoreUnavailable(f"{request.url.host} cannot be reached: {error}")) from error
        except httpx.LocalProtocolError as error:
            raise Invalid(f"HTTP cannot carry this request: {error}") from error
        except httpx.TransportError as error:
            raise StoreUnavailable(f"the answer was lost, the outcome is unknown: {type(error).__name__}") from error
        if answer.is_success:
            return answer.content
        error_told = error_of(answer.status_code, answer.content)
        if answer.status_code in (502, 503, 504) and isinstance(error_told, Busy | StoreUnavailable):
            raise _NothingDone(error_told)
        raise error_told


class _NothingDone(Exception):
    """The same request may be sent again."""

    def __init__(self, error: LoomError) -> None:
        super().__init__(str(error))
        self.error = error


def error_of(status: int, body: bytes) -> LoomError:
    """The error that a problem names.

    What is no problem of ours comes from something in between, which knows nothing of the execution: `unavailable`, or
    `too-large` from 413. A code of a newer service: `unavailable` if it says retryable, else `invalid`.
    """
    problem = _problem(body)
    cls = ERRORS.get(str(problem.get("code")))
    detail = str(problem.get("detail") or f"the answer was {status} without a problem that this version knows")
    if cls is None and "code" in problem and status < 500:
        cls = StoreUnavailable if problem.get("retryable") is True else Invalid
    elif cls is None:
        cls = TooLarge if status == TooLarge.status else StoreUnavailable
    return cls(detail, **{name: value for name, value in problem.items() if name not in _MEMBERS})


def _problem(body: bytes) -> dict[str, Any]:
    try:
        problem = json.loads(body)
    except ValueError:
        return {}
    return problem if isinstance(problem, dict) else {}
