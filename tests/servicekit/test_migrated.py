"""A service before, while and after its database is migrated."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from fixtures.postgres import Postgres
from loom.errors import StoreUnavailable
from loom_cli.migrate import SCHEMAS
from loom_servicekit.migrated import SchemaCheck, migrated_database
from loom_servicekit.migrations import APPLICATION, migrate
from loom_servicekit.postgres import DatabaseHeld, hold_database, open_pool


@pytest.fixture
async def name(postgres: Postgres) -> AsyncIterator[str]:
    """An empty database."""
    name = await postgres.create_database()
    yield name
    await postgres.drop_database(name)


async def test_a_service_is_unready_until_the_database_is_migrated(postgres: Postgres, name: str) -> None:
    """Issue 4: services only look at the version; they may be there first, and become ready by themselves."""
    async with migrated_database(postgres.database_url(name, APPLICATION), SCHEMAS) as (database, service):
        (given,) = service.background
        assert given.why_unready()
        check = SchemaCheck(database, SCHEMAS, every_ms=10)
        await check.start()
        await check.reached(2)
        assert "loom migrate" in str(check.why_unready())

        await migrate(postgres.database_url(name), SCHEMAS)
        await postgres.execute("INSERT INTO loom.migrations VALUES ('timers', 99, 'later', 'c')", name)
        await postgres.execute("DELETE FROM loom.migrations WHERE schema = 'retention'", name)
        await check.succeeded()
        assert check.why_unready() == "run `loom migrate`: retention is at 0 of 1"

        await postgres.execute("INSERT INTO loom.migrations VALUES ('retention', 1, 'x', 'c')", name)
        await check.succeeded()
        assert check.why_unready() is None
        await check.stop()


async def test_a_pool_of_none_is_unavailable_until_the_database_is_there(postgres: Postgres) -> None:
    """A service does not end because its database starts later: its calls are unavailable."""
    pool = await open_pool("postgresql://postgres@127.0.0.1:1/none", wait=True)

    with pytest.raises(StoreUnavailable):
        await pool.run(lambda connection: connection.fetchval("SELECT 1"))
    await pool.close()

    with pytest.raises(StoreUnavailable):
        await open_pool("postgresql://postgres@127.0.0.1:1/none")


async def test_a_database_is_held_by_one(postgres: Postgres, name: str) -> None:
    """As a folder is by its lock; whoever comes later is told, and the end of the holder frees it."""
    url = postgres.database_url(name)
    async with hold_database(url):
        with pytest.raises(DatabaseHeld):
            async with hold_database(url, wait_s=0):
                pass
    async with hold_database(url):
        pass


async def test_what_was_opened_before_the_migration_serves_after_it(postgres: Postgres, name: str) -> None:
    """H25: a session has the role's settings from its beginning; one that is older than they are is not kept."""
    shown = "SELECT current_setting('lock_timeout')"
    async with migrated_database(postgres.database_url(name, APPLICATION), SCHEMAS) as (database, _):
        before = await database.run(lambda connection: connection.fetchval(shown))
        check = SchemaCheck(database, SCHEMAS, every_ms=10)
        await check.start()
        await migrate(postgres.database_url(name), SCHEMAS)
        await check.succeeded()
        after = await database.run(lambda connection: connection.fetchval(shown))
        await check.stop()

        assert (before, after) == ("0", "2s")
