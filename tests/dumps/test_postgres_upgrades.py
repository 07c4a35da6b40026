"""A database of every released schema, with rows in every table, is upgraded by today's `loom migrate`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from dumps.keeping import POSTGRES, empty_tables, release, restored
from fixtures.postgres import Postgres
from loom.kernel import calls as c
from loom_cli.migrate import SCHEMAS
from loom_event_store.postgres.store import PostgresEventStore
from loom_servicekit.migrations import APPLICATION, FileChanged, migrate, migrations_of

DUMPS = sorted(POSTGRES.glob("*.sql"))


@pytest.fixture(params=DUMPS, ids=lambda dump: dump.stem)
def dump(request: pytest.FixtureRequest) -> Path:
    """Of one release."""
    path: Path = request.param
    return path


@pytest.fixture
async def name(postgres: Postgres, dump: Path) -> AsyncIterator[str]:
    """A database as that release left it."""
    async with restored(postgres, dump) as name:
        yield name


async def fetch(url: str, query: str) -> list[tuple[object, ...]]:
    """The rows."""
    connection = await asyncpg.connect(url)
    try:
        return [tuple(row) for row in await connection.fetch(query)]
    finally:
        await connection.close()


async def test_a_dump_has_rows_in_every_table(postgres: Postgres, name: str) -> None:
    """Issue 4: an upgrade of an empty table proves nothing."""
    url = postgres.database_url(name)
    assert await empty_tables(url) == []

    await postgres.execute("DELETE FROM retention.sweeps", name)

    assert await empty_tables(url) == ["retention.sweeps"]


async def test_an_old_database_is_upgraded_and_keeps_what_it_had(postgres: Postgres, name: str) -> None:
    """Operations 6.2: every migration is recorded once, features stay as they were, every log is there."""
    url = postgres.database_url(name)
    await postgres.execute("UPDATE event_store.store SET features = '{}'", name)
    counted = "SELECT head, count(*) FROM event_store.events GROUP BY head ORDER BY head"
    before = await fetch(url, counted)

    await migrate(url, SCHEMAS)

    recorded = await fetch(url, "SELECT schema, number, count(*) FROM loom.migrations GROUP BY 1, 2 ORDER BY 1, 2")
    known = sorted((schema.name, migration.number, 1) for schema in SCHEMAS for migration in migrations_of(schema))
    assert recorded == known
    assert await fetch(url, counted) == before
    assert await fetch(url, "SELECT features FROM event_store.store") == [([],)]
    store = await PostgresEventStore.open(postgres.database_url(name, APPLICATION), size=1)
    listed = await store.list_executions(c.ListExecutions(namespace="conformance", limit=500))  # type: ignore[arg-type]
    await store.close()
    assert [(len(listed.items),)] == await fetch(url, "SELECT count(*) FROM event_store.heads")


async def test_a_program_of_before_calls_what_it_called(postgres: Postgres, name: str) -> None:
    """Operations 6.3, a rolling upgrade: a parameter that came later may be left out, and one function answers."""
    url = postgres.database_url(name)
    await migrate(url, SCHEMAS)

    named = await fetch(url, "SELECT proname, count(*) FROM pg_proc WHERE proname LIKE '%\\_v1' GROUP BY 1")
    started = "SELECT traceparent FROM event_store.start_v1('n', 'e', 7, 'w', '0', 'q', '{}', NULL, NULL, 'b', 'd')"

    assert {count for _, count in named} == {1}
    assert await fetch(url, started) == [(None,)]


async def test_a_dump_of_another_text_is_noticed(postgres: Postgres, name: str) -> None:
    """Negative control: had a released migration been changed since, its checksum would tell."""
    await postgres.execute("UPDATE loom.migrations SET checksum = 'x' WHERE schema = 'timers'", name)

    with pytest.raises(FileChanged):
        await migrate(postgres.database_url(name), SCHEMAS)


def test_todays_schema_has_its_dump() -> None:
    """Whoever adds a migration runs `make dumps`, and the older dumps stay."""
    assert release() in {dump.stem for dump in DUMPS}
