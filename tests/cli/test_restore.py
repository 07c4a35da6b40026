from __future__ import annotations

import io
from collections.abc import AsyncIterator

import asyncpg
import pytest

from fixtures.event_stores import EventStoreDatabase, migrated_database
from fixtures.postgres import Postgres
from loom.errors import Stale
from loom.kernel import calls as c
from loom_cli.__main__ import run
from loom_cli.connection import connect
from loom_conformance import Subject
from loom_conformance.scene import Scene
from loom_event_store.postgres.store import PostgresEventStore


@pytest.fixture
async def database(postgres: Postgres) -> AsyncIterator[EventStoreDatabase]:
    """A migrated database of the test's own."""
    async with migrated_database(postgres) as database:
        yield database


async def restored(*words: str) -> tuple[int, str, str]:
    """What `loom restore finish` ends with and says."""
    stdout, stderr = io.StringIO(), io.StringIO()
    code = await run(["restore", "finish", *words], connect, stdout, stderr)
    return code, stdout.getvalue(), stderr.getvalue()


async def test_after_a_restore_no_old_grant_is_worth_anything(database: EventStoreDatabase) -> None:
    """Hazards 4.1: a dump keeps its timeline, so a person begins the generation; the record says who and why."""
    store = await PostgresEventStore.open(database.application, size=2)
    try:
        execution = await Scene(Subject(name="postgres", store=store), "restore").owned()
        await execution.append("STEP_COMPLETED")

        said = await restored("--reason", "from the dump of Tuesday", "--database", database.owner)

        assert said == (0, "the epoch is 2: whatever was granted before is dead\n", "")
        with pytest.raises(Stale):
            await execution.append("STEP_COMPLETED")
        assert (await execution.claim()).credential.token.shown == "2.2"
        assert (await store.read_store(c.ReadStore())).epoch == 2
    finally:
        await store.close()
    owner = await asyncpg.connect(database.owner)
    kept = await owner.fetch("SELECT epoch, reason, actor FROM event_store.restores")
    await owner.close()
    assert [tuple(row) for row in kept] == [(2, "from the dump of Tuesday", "postgres")]


async def test_only_the_owner_begins_a_generation(database: EventStoreDatabase) -> None:
    """The services' role may do it neither by the command nor by hand; without a reason nobody does."""
    refused = await restored("--reason", "mischief", "--database", database.application)
    silent = await restored("--database", database.owner)

    assert (refused[0], silent[0]) == (7, 2)
    application = await asyncpg.connect(database.application)
    assert await application.fetchval("SELECT epoch FROM event_store.store") == 1
    await application.close()
