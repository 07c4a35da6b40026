"""What a service needs of a database that `loom migrate` makes: it looks, waits, and changes nothing itself."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from loom.errors import StoreUnavailable
from loom_servicekit.app import Service
from loom_servicekit.loops import Loop
from loom_servicekit.migrations import Schema, migrations_of
from loom_servicekit.postgres import Connection, Database, open_pool
from loom_servicekit.settings import Pooler
from loom_servicekit.tables import read_statements

EVERY_MS = 1_000

_SQL = read_statements(__package__, "migrating")


@asynccontextmanager
async def migrated_database(
    url: str, schemas: Sequence[Schema], *, pooler: Pooler = "session"
) -> AsyncIterator[tuple[Database, Service]]:
    """The database, which need not be there yet, and what keeps the process unready until it has these schemas."""
    database = await open_pool(url, pooler=pooler, wait=True)
    try:
        check = SchemaCheck(database, schemas)
        yield database, Service(name="database", background=(check,))
    finally:
        await database.close()


class SchemaCheck:
    """Unready until the database has had every migration that this program knows. A newer one will do."""

    def __init__(self, database: Database, schemas: Sequence[Schema], *, every_ms: int = EVERY_MS) -> None:
        self._database = database
        self._needed = {schema.name: len(migrations_of(schema)) for schema in schemas}
        self._lacking: str | None = "not looked at yet"
        self._loop = Loop("schema", self._look, every_ms=every_ms)

    async def start(self) -> None:
        await self._loop.start()

    async def stop(self) -> None:
        await self._loop.stop()

    def why_unready(self) -> str | None:
        return self._lacking

    async def reached(self, rounds: int) -> None:
        """Wait until so many looks have ended."""
        await self._loop.reached(rounds)

    async def succeeded(self) -> None:
        """Wait for a look that begins after this."""
        await self._loop.reached(self._loop.rounds + 2)

    async def _look(self) -> int | None:
        try:
            found = await self._database.run(self._versions)
        except StoreUnavailable as error:
            self._lacking = self._lacking and str(error)
            raise
        behind = [
            f"{name} is at {found.get(name, 0)} of {n}" for name, n in self._needed.items() if found.get(name, 0) < n
        ]
        if self._lacking and not behind:
            await self._database.renew()  # what was opened before `migrate` has none of the role's settings
        self._lacking = f"run `loom migrate`: {', '.join(behind)}" if behind else None
        return None

    async def _versions(self, connection: Connection) -> dict[str, int]:
        return {row["schema"]: row["number"] for row in await connection.fetch(_SQL["read_versions"])}
