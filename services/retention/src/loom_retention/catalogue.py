"""Retention's own tables, as the rest of the service sees them."""

from __future__ import annotations

from typing import Protocol

from loom.ids import ExecutionId, Namespace
from loom_retention.archive import Manifest
from loom_retention.policy import Keep, Policies
from loom_retention.reports import Report


class Catalogue(Protocol):
    """Policies, the newest sweeps, and what is archived where."""

    async def read_policies(self, default: Keep) -> Policies: ...

    async def write_policy(self, namespace: Namespace, keep: Keep) -> None: ...

    async def remove_policy(self, namespace: Namespace) -> None:
        """The default holds again."""

    async def write_sweep(self, report: Report) -> None: ...

    async def read_sweeps(self, limit: int) -> tuple[Report, ...]:
        """Newest first."""

    async def write_archive(self, manifest: Manifest) -> None:
        """Of an incarnation that is archived already: in place of the earlier one."""

    async def read_archives(self, namespace: Namespace, execution_id: ExecutionId) -> tuple[Manifest, ...]:
        """What is archived of an id, newest first."""
