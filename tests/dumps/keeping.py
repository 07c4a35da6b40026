"""The dumps of released schemas: how one is made, named and brought back."""

from __future__ import annotations

import sqlite3
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg

from dumps.filling import UNREACHED, fill_catalogue, fill_store, fill_timers
from fixtures.event_stores import migrated_database
from fixtures.postgres import Postgres, locate
from loom_cli.migrate import SCHEMAS
from loom_event_store.postgres.restoring import finish_restore
from loom_event_store.postgres.store import PostgresEventStore
from loom_event_store.sqlite.store import SqliteEventStore
from loom_retention import store as retention
from loom_servicekit.migrations import migrations_of
from loom_servicekit.postgres import PostgresTables, open_pool
from loom_servicekit.sqlite import read_migrations
from loom_timers import store as timers

HERE = Path(__file__).parent
POSTGRES = HERE / "postgres"
SQLITE = HERE / "sqlite"
FILES = {"event-store": "loom_event_store.sqlite", "timers": timers.PACKAGE, "retention": retention.PACKAGE}
"""The SQLite files of a folder, and the packages whose migrations they have had."""


def release() -> str:
    """The name of today's dump of a database: how many migrations each schema has."""
    return "-".join(f"{schema.name}.{len(migrations_of(schema))}" for schema in SCHEMAS)


def version_of(file: str) -> int:
    """How many migrations today's file of that name has had."""
    return len(read_migrations(FILES[file]))


async def dump_postgres(server: Postgres) -> str:
    """Today's schema with rows in every table, as SQL without owners and privileges."""
    async with migrated_database(server) as database:
        store = await PostgresEventStore.open(database.owner, size=2)
        await fill_store(store)
        await store.close()
        pool = await open_pool(database.application, size=2)
        await fill_timers(timers.SqlTimerStore(PostgresTables(pool, timers.PACKAGE, "timers")))
        await fill_catalogue(retention.SqlCatalogue(PostgresTables(pool, retention.PACKAGE, "retention")))
        await pool.close()
        for statement in UNREACHED:
            await server.execute(statement.format(at="event_store.", bytes="bytea", false="false"), database.name)
        await finish_restore(database.owner, "dumped")
        return _pg_dump(server, database.name)


def _pg_dump(server: Postgres, database: str) -> str:
    parts = urlsplit(server.url)
    where = ["-h", str(parts.hostname), "-p", str(parts.port or 5432), "-U", str(parts.username), database]
    options = ["--no-owner", "--no-privileges", "--inserts", "--rows-per-insert=100"]
    said = subprocess.run([locate("pg_dump"), *options, *where], check=True, capture_output=True, text=True)
    lines = said.stdout.splitlines()
    kept = [line for line in lines if line and not line.startswith(("--", "\\"))]
    return "\n".join(kept) + "\n"


async def restore_postgres(server: Postgres, dump: Path) -> str:
    """A new database with what is in the dump; its name."""
    text = _read(dump)
    name = await server.create_database()
    await server.execute(text, name)
    return name


def _read(dump: Path) -> str:
    return dump.read_text("utf-8")


async def dump_sqlite(file: str, folder: Path) -> str:
    """Today's file with rows in every table, as SQL that ends with its version."""
    path = folder / f"{file}.db"
    if file == "event-store":
        store = SqliteEventStore.open(path)
        await fill_store(store)
        store.close()
    elif file == "timers":
        rows = timers.open_timers(path)
        await fill_timers(rows)
        rows.close()
    else:
        catalogue = retention.open_catalogue(path)
        await fill_catalogue(catalogue)
        catalogue.close()
    with closing(sqlite3.connect(path)) as connection:
        if file == "event-store":
            for statement in UNREACHED:
                connection.execute(statement.format(at="", bytes="blob", false="0"))
            connection.commit()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        return "\n".join([*connection.iterdump(), f"PRAGMA user_version = {version};"]) + "\n"


def restore_sqlite(dump: Path, path: Path) -> int:
    """A file as the program of that release left it; the greatest instant it has seen."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(dump.read_text("utf-8"))
        (seen_at,) = connection.execute("SELECT seen_at FROM clock").fetchone()
        return int(seen_at)


async def empty_tables(url: str) -> list[str]:
    """The tables without a row."""
    connection = await asyncpg.connect(url)
    try:
        tables = await connection.fetch(
            "SELECT schemaname || '.' || tablename AS name FROM pg_tables WHERE schemaname = ANY ($1) ORDER BY 1",
            ["loom", *(schema.name for schema in SCHEMAS)],
        )
        return [
            row["name"] for row in tables if not await connection.fetchval(f"SELECT EXISTS (SELECT FROM {row['name']})")
        ]
    finally:
        await connection.close()


@asynccontextmanager
async def restored(server: Postgres, dump: Path) -> AsyncIterator[str]:
    """A database with what is in the dump, gone at the end; its name."""
    name = await restore_postgres(server, dump)
    try:
        yield name
    finally:
        await server.drop_database(name)
