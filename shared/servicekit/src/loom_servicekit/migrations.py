"""Migrate: numbered files forward, functions anew, the application's role; any number of processes at once."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, ClassVar

import asyncpg

from loom_servicekit.postgres import FAULTS
from loom_servicekit.tables import read_statements

if TYPE_CHECKING:
    from asyncpg import Connection

WAIT_S = 60.0
POLL_S = 0.1
LOCK_TIMEOUT = "5s"
APPLICATION = "loom_app"

_SQL = read_statements(__package__, "migrating")


class MigrationFault(Exception):
    """Why a database is not as the program needs it; `exit_code` is what `loom migrate` ends with."""

    exit_code: ClassVar[int] = 1


class LockNotTaken(MigrationFault):
    """Others migrate, or hold a table for too long: come back."""

    exit_code = 8


class FileChanged(MigrationFault):
    """A migration was applied from another text than this program's."""

    exit_code = 10


class NewerDatabase(MigrationFault):
    """A newer program migrated it."""

    exit_code = 11


class DatabaseUnreachable(MigrationFault):
    """Nobody answers there, or not any more."""

    exit_code = 7


class MigrationFailed(MigrationFault):
    """A statement failed; its migration left nothing behind."""

    exit_code = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """A service's part of the database, a Postgres schema of that name, from its package's files: `migrations/`,
    `functions/` where it has some, `grants.sql`, and perhaps `features.sql`, which turns features on and runs in an
    empty database only. Migrations may name their tables without the schema.
    """

    name: str
    package: str

    def read(self, name: str) -> str:
        """The file's text; empty if there is none."""
        file = files(self.package) / name
        return file.read_text("utf-8") if file.is_file() else ""

    @property
    def functions(self) -> tuple[str, ...]:
        has_some = (files(self.package) / "functions").is_dir()
        return tuple(read_statements(self.package, "functions").values()) if has_some else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """A file `0001_what_it_makes.sql`."""

    number: int
    name: str
    text: str

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()


def migrations_of(schema: Schema) -> tuple[Migration, ...]:
    """The files of a schema, numbered 1, 2, 3 and so on without a gap."""
    found = [
        Migration(number=int(name.partition("_")[0]), name=name, text=text)
        for name, text in read_statements(schema.package, "migrations").items()
    ]
    assert [migration.number for migration in found] == list(range(1, len(found) + 1)), f"a gap in {schema.name}"
    return tuple(found)


async def migrate(
    url: str, schemas: Sequence[Schema], *, application: str | None = APPLICATION, wait_s: float = WAIT_S
) -> tuple[str, ...]:
    """Bring the database up to this program; the names of what was applied. `url` is its owner's, past any pooler.

    `application`: the role of the services, made if need be; None: the owner itself, on one's own machine.

    Raises a MigrationFault. An upgrade leaves features as they are; an empty database has all of them on.
    """
    try:
        connection = await asyncpg.connect(url, statement_cache_size=0, timeout=10)
    except FAULTS as error:
        raise DatabaseUnreachable(f"the database cannot be reached: {error}") from error
    try:
        await _take_lock(connection, wait_s)
        return await _migrate(connection, schemas, application)
    except asyncpg.LockNotAvailableError as error:
        raise LockNotTaken(f"a table was held for more than {LOCK_TIMEOUT}: {error}") from error
    except (asyncpg.PostgresConnectionError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError) as error:
        raise DatabaseUnreachable(f"the connection was lost: {error}") from error
    except asyncpg.PostgresError as error:
        raise MigrationFailed(f"{error.sqlstate}: {error}") from error
    finally:
        await connection.close()  # gives the lock back, too


async def _take_lock(connection: Connection, wait_s: float) -> None:
    deadline = time.monotonic() + wait_s
    while not await connection.fetchval(_SQL["take_lock"]):
        if time.monotonic() > deadline:
            raise LockNotTaken(f"another `loom migrate` held the lock for {wait_s:g} s")
        await asyncio.sleep(POLL_S)


async def _migrate(connection: Connection, schemas: Sequence[Schema], application: str | None) -> tuple[str, ...]:
    await connection.execute("SELECT set_config('lock_timeout', $1, false)", LOCK_TIMEOUT)
    await connection.execute("SELECT set_config('loom.application', coalesce($1, current_user), false)", application)
    await connection.execute(_SQL["record"])
    applied = await _read_record(connection)
    planned = [(schema, migration) for schema in schemas for migration in migrations_of(schema)]
    _check(applied, planned)
    new = [(schema, migration) for schema, migration in planned if (schema.name, migration.number) not in applied]
    for schema, migration in new:
        await _apply(connection, schema, migration)
    await _finish(connection, schemas, empty=not applied)
    return tuple(f"{schema.name}/{migration.name}" for schema, migration in new)


async def _read_record(connection: Connection) -> dict[tuple[str, int], str]:
    return {(row["schema"], row["number"]): row["checksum"] for row in await connection.fetch(_SQL["read_record"])}


def _check(applied: dict[tuple[str, int], str], planned: Sequence[tuple[Schema, Migration]]) -> None:
    known = {(schema.name, migration.number): migration for schema, migration in planned}
    ours = {schema.name for schema, _ in planned}
    for key, checksum in applied.items():
        if key[0] in ours and key not in known:
            raise NewerDatabase(f"{key[0]} is at {key[1]}, which this program does not know: use a newer one")
        if key in known and known[key].checksum != checksum:
            raise FileChanged(f"{key[0]}/{known[key].name} was applied from another text: migrations never change")


async def _apply(connection: Connection, schema: Schema, migration: Migration) -> None:
    async with connection.transaction():
        await connection.execute(f"CREATE SCHEMA IF NOT EXISTS {schema.name}")
        await connection.execute("SELECT set_config('search_path', $1, true)", schema.name)
        await connection.execute(migration.text)
        record = (schema.name, migration.number, migration.name, migration.checksum)
        await connection.execute(_SQL["write_record"], *record)


async def _finish(connection: Connection, schemas: Sequence[Schema], *, empty: bool) -> None:
    """Functions, roles and grants are the program's of today, each time."""
    async with connection.transaction():
        await connection.execute(_SQL["roles"])
        for schema in schemas:
            for text in schema.functions:
                await connection.execute(text)
            await connection.execute(schema.read("grants.sql"))
            features = schema.read("features.sql")
            if empty and features:
                await connection.execute(features)
