"""Retention's own tables over SQL: one set of statements for SQLite and Postgres."""

from __future__ import annotations

from pathlib import Path

from pydantic import TypeAdapter

from loom.ids import ExecutionId, Namespace
from loom.kernel.raw_json import encode
from loom_retention.archive import Manifest
from loom_retention.policy import Keep, Policies
from loom_retention.reports import Report
from loom_servicekit.sqlite import SqliteTables, open_file, read_migrations
from loom_servicekit.tables import Tables

PACKAGE = "loom_retention"
SWEEPS_KEPT = 100

_keep: TypeAdapter[Keep] = TypeAdapter(Keep)
_report: TypeAdapter[Report] = TypeAdapter(Report)
_manifest: TypeAdapter[Manifest] = TypeAdapter(Manifest)


def open_catalogue(path: Path | str) -> SqliteCatalogue:
    """The tables in this file, made if need be; blocks while it is opened."""
    return SqliteCatalogue(SqliteTables(open_file(path, read_migrations(PACKAGE)), PACKAGE))


class SqlCatalogue:
    """`Catalogue` in SQL; of sweeps it keeps the newest SWEEPS_KEPT."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def read_policies(self, default: Keep) -> Policies:
        rows = await self._tables.read("read_policies")
        by_namespace = {row["namespace"]: _keep.validate_json(row["keep"]) for row in rows}
        return Policies(default=default, by_namespace=by_namespace)

    async def write_policy(self, namespace: Namespace, keep: Keep) -> None:
        await self._tables.write(("write_policy", (namespace, encode(keep))))

    async def remove_policy(self, namespace: Namespace) -> None:
        await self._tables.write(("remove_policy", (namespace,)))

    async def write_sweep(self, report: Report) -> None:
        row = (report.started_at, report.dry_run, encode(report))
        await self._tables.write(("write_sweep", row), ("trim_sweeps", (SWEEPS_KEPT,)))

    async def read_sweeps(self, limit: int) -> tuple[Report, ...]:
        rows = await self._tables.read("read_sweeps", limit)
        return tuple(_report.validate_json(row["report"]) for row in rows)

    async def write_archive(self, manifest: Manifest) -> None:
        named = (int(manifest.incarnation), manifest.namespace, manifest.execution_id)
        row = (*named, manifest.last_seq, manifest.archived_at, encode(manifest))
        await self._tables.write(("write_archive", row))

    async def read_archives(self, namespace: Namespace, execution_id: ExecutionId) -> tuple[Manifest, ...]:
        rows = await self._tables.read("read_archives", namespace, execution_id)
        return tuple(_manifest.validate_json(row["manifest"]) for row in rows)


class SqliteCatalogue(SqlCatalogue):
    """In a file of its own."""

    def __init__(self, tables: SqliteTables) -> None:
        super().__init__(tables)
        self.close = tables.close
