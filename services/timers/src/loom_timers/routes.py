"""Rows over REST: other services schedule and retire re-drives, `loom why` reads when the next try is."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from loom.ids import ExecutionId, Namespace
from loom.kernel.raw_json import encode
from loom.stores.timer_store import ReadTimers, Retire, Retired, Schedule, Scheduled, TimerRows, Timers


def router(timers: TimerRows) -> APIRouter:
    """The resource `timers`."""
    routes = APIRouter(tags=["timers"])

    @routes.put("/v1/timers", response_model=Scheduled, summary="Make a row or advance it")
    async def schedule(call: Schedule) -> Response:
        return _answer(await timers.schedule(call))

    @routes.post("/v1/timers:retire", response_model=Retired, summary="Remove one row")
    async def retire(call: Retire) -> Response:
        return _answer(await timers.retire(call))

    @routes.get(
        "/v1/namespaces/{namespace}/executions/{execution_id}/timers",
        response_model=Timers,
        summary="Read an execution's rows",
    )
    async def read(namespace: str, execution_id: str) -> Response:
        call = ReadTimers(namespace=Namespace(namespace), execution_id=ExecutionId(execution_id))
        return _answer(await timers.read(call))

    return routes


def _answer(value: object) -> Response:
    return Response(encode(value), media_type="application/json")
