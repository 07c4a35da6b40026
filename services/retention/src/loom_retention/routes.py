"""Policies, sweeps, and what is archived, over REST."""

from __future__ import annotations

from fastapi import APIRouter

from loom_retention import calls as c
from loom_retention.catalogue import Catalogue
from loom_retention.policy import Keep
from loom_retention.reports import Report
from loom_retention.sweep import Rounds
from loom_servicekit.endpoints import router_of


def router(catalogue: Catalogue, rounds: Rounds, default: Keep) -> APIRouter:
    """The resources of retention."""
    desk = _Desk(catalogue, rounds, default)
    return router_of(
        "retention",
        {
            c.READ_POLICIES: desk.read_policies,
            c.WRITE_POLICY: desk.write_policy,
            c.REMOVE_POLICY: desk.remove_policy,
            c.READ_SWEEPS: desk.read_sweeps,
            c.SWEEP: desk.sweep,
            c.READ_ARCHIVES: desk.read_archives,
        },
    )


class _Desk:
    """What is done about each call."""

    def __init__(self, catalogue: Catalogue, rounds: Rounds, default: Keep) -> None:
        self._catalogue = catalogue
        self._rounds = rounds
        self._default = default

    async def read_policies(self, call: c.ReadPolicies | None = None) -> c.PolicyTable:
        policies = await self._catalogue.read_policies(self._default)
        return c.PolicyTable(default=policies.default, namespaces=policies.by_namespace)

    async def write_policy(self, call: c.WritePolicy) -> c.PolicyTable:
        await self._catalogue.write_policy(call.namespace, call.keep)
        return await self.read_policies()

    async def remove_policy(self, call: c.RemovePolicy) -> c.PolicyTable:
        await self._catalogue.remove_policy(call.namespace)
        return await self.read_policies()

    async def read_sweeps(self, call: c.ReadSweeps) -> c.Reports:
        return c.Reports(items=await self._catalogue.read_sweeps(call.limit))

    async def sweep(self, call: c.SweepNow) -> Report:
        return await self._rounds.sweep(dry_run=call.dry_run)

    async def read_archives(self, call: c.ReadArchives) -> c.Manifests:
        return c.Manifests(items=await self._catalogue.read_archives(call.namespace, call.execution_id))
