"""Policies, sweeps, and what is archived, over REST."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from loom.ids import ExecutionId, Namespace, answer, noun
from loom.kernel.raw_json import encode
from loom_retention.archive import Manifest
from loom_retention.policy import Keep
from loom_retention.reports import Report
from loom_retention.store import Catalogue
from loom_retention.sweep import Rounds


@noun
class SweepNow:
    """A dry run says what would go and why, and removes nothing."""

    dry_run: bool = True


@answer
class PolicyTable:
    """What holds where no namespace has its own."""

    default: Keep
    namespaces: dict[str, Keep]


@answer
class Reports:
    items: tuple[Report, ...]


@answer
class Manifests:
    items: tuple[Manifest, ...]


def router(catalogue: Catalogue, rounds: Rounds, default: Keep) -> APIRouter:
    """The resources of retention."""
    routes = APIRouter(tags=["retention"])

    @routes.get("/v1/policies", response_model=PolicyTable, summary="How long each ending is kept")
    async def read_policies() -> Response:
        policies = await catalogue.read_policies(default)
        return _answer(PolicyTable(default=policies.default, namespaces=policies.by_namespace))

    @routes.put("/v1/policies/{namespace}", response_model=Keep, summary="Set a namespace's policy")
    async def write_policy(namespace: str, keep: Keep) -> Response:
        await catalogue.write_policy(Namespace(namespace), keep)
        return _answer(keep)

    @routes.delete("/v1/policies/{namespace}", status_code=204, summary="Let the default hold again")
    async def remove_policy(namespace: str) -> Response:
        await catalogue.remove_policy(Namespace(namespace))
        return Response(status_code=204)

    @routes.get("/v1/sweeps", response_model=Reports, summary="The newest sweeps and what they did")
    async def read_sweeps(limit: Annotated[int, Query(ge=1, le=100)] = 20) -> Response:
        return _answer(Reports(items=await catalogue.read_sweeps(limit)))

    @routes.post("/v1/sweeps", response_model=Report, summary="Sweep now, dry unless told otherwise")
    async def sweep(request: SweepNow) -> Response:
        return _answer(await rounds.sweep(dry_run=request.dry_run))

    @routes.get(
        "/v1/namespaces/{namespace}/executions/{execution_id}/archives",
        response_model=Manifests,
        summary="What is archived of an execution",
    )
    async def read_archives(namespace: str, execution_id: str) -> Response:
        return _answer(Manifests(items=await catalogue.read_archives(Namespace(namespace), ExecutionId(execution_id))))

    return routes


def _answer(value: object) -> Response:
    return Response(encode(value), media_type="application/json")
