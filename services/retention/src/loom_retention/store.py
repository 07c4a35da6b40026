"""Retention's own tables over SQL, in the subset that SQLite and Postgres share."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from loom.ids import ExecutionId, Namespace
from loom.kernel.raw_json import encode
from loom_retention.archive import Manifest
from loom_retention.policy import Keep, Policies
from loom_retention.reports import Report
from loom_servicekit.sqlite import SqliteFile, open_file, read_queries

SCHEMA_VERSION = 1
SWEEPS_KEPT = 100

Row = tuple[Any, ...]

_keep: TypeAdapter[Keep] = TypeAdapter(Keep)
_report: TypeAdapter[Report] = TypeAdapter(Report)
_manifest: TypeAdapter[Manifest] = TypeAdapter(Manifest)


def open_catalogue(path: Path | str) -> SqliteCatalogue:
    """The tables in this file, made if need be; blocks while it is opened."""
    schema = (files("loom_retention") / "schema.sql").read_text("utf-8")
    return SqliteCatalogue(open_file(path, schema, version=SCHEMA_VERSION))


class SqliteCatalogue:
    """`Catalogue` in one file; of sweeps it keeps the newest SWEEPS_KEPT."""

    def __init__(self, file: SqliteFile) -> None:
        self._file = file
        self._queries = read_queries("loom_retention")

    async def read_policies(self, default: Keep) -> Policies:
        rows = await self._read("read_policies")
        return Policies(default=default, by_namespace={name: _keep.validate_json(keep) for name, keep in rows})

    async def write_policy(self, namespace: Namespace, keep: Keep) -> None:
        await self._write(("write_policy", (namespace, encode(keep))))

    async def remove_policy(self, namespace: Namespace) -> None:
        await self._write(("remove_policy", (namespace,)))

    async def write_sweep(self, report: Report) -> None:
        row = (report.started_at, report.dry_run, encode(report))
        await self._write(("write_sweep", row), ("trim_sweeps", (SWEEPS_KEPT,)))

    async def read_sweeps(self, limit: int) -> tuple[Report, ...]:
        return tuple(_report.validate_json(report) for (report,) in await self._read("read_sweeps", limit))

    async def write_archive(self, manifest: Manifest) -> None:
        named = (int(manifest.incarnation), manifest.namespace, manifest.execution_id)
        row = (*named, manifest.last_seq, manifest.archived_at, encode(manifest))
        await self._write(("write_archive", row))

    async def read_archives(self, namespace: Namespace, execution_id: ExecutionId) -> tuple[Manifest, ...]:
        rows = await self._read("read_archives", namespace, execution_id)
        return tuple(_manifest.validate_json(manifest) for (manifest,) in rows)

    def close(self) -> None:
        self._file.close()

    async def _read(self, query: str, *parameters: Any) -> list[Row]:
        return await self._file.read(lambda connection, _: self._run(connection)(query, parameters))

    async def _write(self, *statements: tuple[str, Row]) -> None:
        await self._file.write(lambda connection, _: [self._run(connection)(*statement) for statement in statements])

    def _run(self, connection: sqlite3.Connection) -> Callable[[str, Row], list[Row]]:
        def run(query: str, parameters: Row) -> list[Row]:
            named = {str(number): value for number, value in enumerate(parameters, 1)}
            return [tuple(row) for row in connection.execute(self._queries[query], named)]

        return run
