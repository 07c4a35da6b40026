"""Timers over HTTP: the rows that other services write and read, and the re-drivers that timers asks."""

from __future__ import annotations

from typing import Any, Self, TypeVar

import httpx

from loom.client.http import ATTEMPTS, HttpClient
from loom.errors import Invalid, StoreUnavailable
from loom.stores.timer_store import ReadTimers, Redrive, Redriven, Retire, Retired, Schedule, Scheduled, Timers
from loom.wire.codec import body_of, decode_answer, url_of
from loom.wire.paths import Path

SCHEDULE = Path("schedule", "PUT", "/v1/timers", Schedule, Scheduled, "Make a row or advance it")
RETIRE = Path("retire", "POST", "/v1/timers:retire", Retire, Retired, "Remove one row")
READ = Path(
    "read_timers",
    "GET",
    "/v1/namespaces/{namespace}/executions/{execution_id}/timers",
    ReadTimers,
    Timers,
    "Read an execution's rows",
)
REDRIVE = Path("redrive", "POST", "/v1/redrives", Redrive, Redriven, "Derive a contended resume again")

_Answer = TypeVar("_Answer")


class HttpTimerStore:
    """`TimerRows` over REST at `url`. A timers service that cannot be reached is StoreUnavailable."""

    def __init__(
        self, url: str, *, transport: httpx.AsyncBaseTransport | None = None, attempts: int = ATTEMPTS
    ) -> None:
        self._http = HttpClient(url, transport=transport, attempts=attempts)

    async def schedule(self, call: Schedule) -> Scheduled:
        return await _call(self._http, SCHEDULE, call, Scheduled)

    async def retire(self, call: Retire) -> Retired:
        return await _call(self._http, RETIRE, call, Retired)

    async def read(self, call: ReadTimers) -> Timers:
        return await _call(self._http, READ, call, Timers)

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
        return await _call(self._http, REDRIVE, call, Redriven)

    async def close(self) -> None:
        await self._http.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()


async def _call(http: HttpClient, path: Path, call: Any, answer: type[_Answer]) -> _Answer:
    body = await http.call(path.method, url_of(path, call), body=body_of(path, call), template=path.template)
    try:
        return decode_answer(answer, body)
    except Invalid as error:
        raise StoreUnavailable(f"what answered {path.port} is no service of this version: {error}") from error
