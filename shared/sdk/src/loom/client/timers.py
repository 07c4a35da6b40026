"""Timers over HTTP: the rows that other services write and read, and the re-drivers that timers asks."""

from __future__ import annotations

from typing import Any, Self, TypeVar
from urllib.parse import quote

import httpx

from loom.client.http import ATTEMPTS, HttpClient
from loom.errors import Invalid, StoreUnavailable
from loom.kernel.raw_json import encode
from loom.stores.timer_store import ReadTimers, Redrive, Redriven, Retire, Retired, Schedule, Scheduled, Timers
from loom.wire.codec import decode_answer

_Answer = TypeVar("_Answer")


class HttpTimerStore:
    """`TimerRows` over REST at `url`. A timers service that cannot be reached is StoreUnavailable."""

    def __init__(
        self, url: str, *, transport: httpx.AsyncBaseTransport | None = None, attempts: int = ATTEMPTS
    ) -> None:
        self._http = HttpClient(url, transport=transport, attempts=attempts)

    async def schedule(self, call: Schedule) -> Scheduled:
        return await _call(self._http, Scheduled, "PUT", "/v1/timers", call)

    async def retire(self, call: Retire) -> Retired:
        return await _call(self._http, Retired, "POST", "/v1/timers:retire", call)

    async def read(self, call: ReadTimers) -> Timers:
        names = quote(call.namespace, safe=""), quote(call.execution_id, safe="")
        return await _call(self._http, Timers, "GET", "/v1/namespaces/{}/executions/{}/timers".format(*names))

    async def close(self) -> None:
        await self._http.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()


class HttpRedriver:
    """A re-driver over REST at `url`."""

    def __init__(
        self, url: str, *, transport: httpx.AsyncBaseTransport | None = None, attempts: int = ATTEMPTS
    ) -> None:
        self._http = HttpClient(url, transport=transport, attempts=attempts)

    async def redrive(self, call: Redrive) -> Redriven:
        return await _call(self._http, Redriven, "POST", "/v1/redrives", call)

    async def close(self) -> None:
        await self._http.close()


async def _call(http: HttpClient, kind: type[_Answer], method: str, url: str, call: Any = None) -> _Answer:
    body = await http.call(method, url, body=None if call is None else encode(call).encode())
    try:
        return decode_answer(kind, body)
    except Invalid as error:
        raise StoreUnavailable(f"what answered {url} is no service of this version: {error}") from error
