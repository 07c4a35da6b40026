"""`migrate` on the event store's schema: what it leaves, what it refuses, and what the application may do then."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import asyncpg
import pytest

from fixtures.event_stores import EventStoreDatabase, migrated_database
from fixtures.postgres import Postgres
from loom.errors import StoreUnavailable
from loom.ids import ExecutionId, Namespace
from loom.kernel import calls as c
from loom_event_store.postgres.schema import SCHEMA
from loom_event_store.postgres.store import PostgresEventStore
from loom_servicekit import migrations
from loom_servicekit.migrations import (
    DatabaseUnreachable,
    FileChanged,
    LockNotTaken,
    MigrationFailed,
    NewerDatabase,
    migrate,
    migrations_of,
)

CATALOGUE = (
    """SELECT table_name, column_name, data_type, collation_name, is_nullable, column_default, is_identity
         FROM information_schema.columns WHERE table_schema = 'event_store' ORDER BY 1, ordinal_position""",
    "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'event_store' ORDER BY 1",
    """SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
        WHERE connamespace = 'event_store'::regnamespace ORDER BY 1, 2""",
    """SELECT relname, reloptions FROM pg_class
        WHERE relnamespace = 'event_store'::regnamespace AND relkind = 'r' ORDER BY 1""",
)

REPEATABLE_READ = """ALTER DATABASE "{}" SET default_transaction_isolation = 'repeatable read'"""


@pytest.fixture
async def database(postgres: Postgres) -> AsyncIterator[EventStoreDatabase]:
    """A migrated database of the test's own."""
    async with migrated_database(postgres) as database:
        yield database


async def read_catalogue(url: str) -> list[list[tuple[object, ...]]]:
    """Columns, indexes, constraints and storage options of the schema."""
    connection = await asyncpg.connect(url)
    try:
        return [[tuple(row) for row in await connection.fetch(query)] for query in CATALOGUE]
    finally:
        await connection.close()


async def fetch(url: str, query: str, *parameters: object) -> object:
    """The first column of the first row, on a connection of its own."""
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(query, *parameters)
    finally:
        await connection.close()


async def test_the_readable_schema_is_what_the_migrations_add_up_to(
    postgres: Postgres, database: EventStoreDatabase
) -> None:
    """C2: who reads schema.sql reads the truth."""
    name = await postgres.create_database()
    try:
        await postgres.execute((files(SCHEMA.package) / "schema.sql").read_text("utf-8"), name)

        assert await read_catalogue(postgres.database_url(name)) == await read_catalogue(database.owner)

        await postgres.execute("ALTER TABLE event_store.heads ADD COLUMN more text", name)

        assert await read_catalogue(postgres.database_url(name)) != await read_catalogue(database.owner)
    finally:
        await postgres.drop_database(name)


async def test_migrate_again_changes_nothing(database: EventStoreDatabase) -> None:
    """A migration runs once; functions and grants are put in place each time."""
    before = await read_catalogue(database.owner)

    assert await migrate(database.owner, [SCHEMA]) == ()
    assert await read_catalogue(database.owner) == before


async def test_features_are_on_in_an_empty_database_and_untouched_by_an_upgrade(database: EventStoreDatabase) -> None:
    """Operations 6.3: an older node would destroy what a feature writes, so an upgrade turns nothing on."""
    read, off = "SELECT features FROM event_store.store", "UPDATE event_store.store SET features = '{}'"
    assert await fetch(database.owner, read) == ["redrives"]
    await fetch(database.owner, off)

    await migrate(database.owner, [SCHEMA])

    assert await fetch(database.owner, read) == []


async def test_many_at_once_leave_one_row_a_migration(postgres: Postgres) -> None:
    """Boot storm: all of them succeed, whoever was first."""
    name = await postgres.create_database()
    try:
        url = postgres.database_url(name)
        applied = await asyncio.gather(*(migrate(url, [SCHEMA]) for _ in range(8)))

        assert sorted(map(len, applied)) == [0] * 7 + [len(migrations_of(SCHEMA))]
        assert await fetch(url, "SELECT count(*) FROM loom.migrations") == len(migrations_of(SCHEMA))
    finally:
        await postgres.drop_database(name)


async def test_who_cannot_have_the_lock_says_so(database: EventStoreDatabase) -> None:
    """Polled, never waited for: the caller is told, with an exit code of its own."""
    holder = await asyncpg.connect(database.owner)
    try:
        assert await holder.fetchval(migrations._SQL["take_lock"])

        with pytest.raises(LockNotTaken):
            await migrate(database.owner, [SCHEMA], wait_s=0)
    finally:
        await holder.close()


async def test_an_applied_file_must_not_change(database: EventStoreDatabase) -> None:
    """Forward only: what was applied from another text is another database."""
    await fetch(database.owner, "UPDATE loom.migrations SET checksum = 'another' WHERE number = 2")

    with pytest.raises(FileChanged, match="0002"):
        await migrate(database.owner, [SCHEMA])


async def test_a_newer_database_is_refused(database: EventStoreDatabase) -> None:
    """An old program would not know what it breaks."""
    await fetch(database.owner, "INSERT INTO loom.migrations VALUES ('event_store', 99, '0099_x', 'c')")

    with pytest.raises(NewerDatabase, match="99"):
        await migrate(database.owner, [SCHEMA])


async def test_a_failing_migration_leaves_nothing(
    database: EventStoreDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One transaction each: half a migration is none."""
    known = migrations_of(SCHEMA)
    broken = replace(known[0], number=len(known) + 1, name="0006_broken", text="CREATE TABLE loom.half (); SELECT 1/0")
    monkeypatch.setattr(migrations, "migrations_of", lambda schema: (*known, broken))

    with pytest.raises(MigrationFailed, match="22012"):
        await migrate(database.owner, [SCHEMA])

    assert await fetch(database.owner, "SELECT to_regclass('loom.half')") is None


async def test_a_server_that_is_not_there_is_unreachable() -> None:
    """Each end has its own exit code."""
    with pytest.raises(DatabaseUnreachable):
        await migrate("postgresql://postgres@127.0.0.1:1/none", [SCHEMA])

    codes = [fault.exit_code for fault in migrations.MigrationFault.__subclasses__()]
    assert len(set(codes)) == len(codes) == 5


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE event_store.events SET payload = 'null'",
        "DELETE FROM event_store.events",
        "INSERT INTO event_store.events VALUES (1, 9, 'X', 'null', NULL, 0, true, NULL, NULL, NULL, NULL, NULL, 0)",
        "TRUNCATE event_store.events",
        "UPDATE event_store.heads SET token = 0",
        "DELETE FROM event_store.heads",
        "UPDATE event_store.edges SET status = 'open'",
        "UPDATE event_store.store SET epoch = 0",
        "DELETE FROM event_store.inbox",
        "CREATE TABLE event_store.more ()",
        "CREATE TABLE public.more ()",
        "UPDATE loom.migrations SET checksum = ''",
    ],
)
async def test_the_application_changes_nothing_but_by_the_functions(
    database: EventStoreDatabase, statement: str
) -> None:
    """Design 3: neither UPDATE nor DELETE on events, no DDL: a service that is taken over forges no history."""
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await fetch(database.application, statement)

    await fetch(database.owner, statement)  # negative control: the owner may


async def test_the_roles_settings_hold_against_the_databases_own(database: EventStoreDatabase) -> None:
    """I61, H25: a database whose default is another level, and a session that asks for none."""
    await fetch(
        database.owner, f"ALTER DATABASE \"{database.name}\" SET default_transaction_isolation = 'repeatable read'"
    )

    assert await fetch(database.application, "SHOW transaction_isolation") == "read committed"
    assert await fetch(database.application, "SHOW plan_cache_mode") == "force_custom_plan"
    assert await fetch(database.owner, "SHOW transaction_isolation") == "repeatable read"


async def test_a_pool_refuses_a_role_that_nobody_set_up(database: EventStoreDatabase) -> None:
    """H25: each new connection asserts the level, else both sides of a race would win."""
    await fetch(
        database.owner, f"ALTER DATABASE \"{database.name}\" SET default_transaction_isolation = 'repeatable read'"
    )

    with pytest.raises(StoreUnavailable, match="REPEATABLE READ"):
        await PostgresEventStore.open(database.owner)


async def test_the_functions_refuse_another_isolation(database: EventStoreDatabase) -> None:
    """I61, H25: whatever a connection was told since, the statement that would let both win does not run."""
    connection = await asyncpg.connect(database.application)
    try:
        async with connection.transaction(isolation="repeatable_read"):
            with pytest.raises(asyncpg.PostgresError) as refused:
                await connection.execute("SELECT event_store.apply_change_v1('[]', 0)")
        assert refused.value.sqlstate == "LM001"
        async with connection.transaction():
            await connection.execute("SELECT event_store.apply_change_v1('[]', 0)")
    finally:
        await connection.close()


async def test_every_function_asserts_the_isolation() -> None:
    """H25: one that forgot would be the hole."""
    folder = files(SCHEMA.package) / "functions"
    texts = {entry.name: entry.read_text("utf-8") for entry in folder.iterdir()}
    protocols = {name for name, text in texts.items() if "SECURITY DEFINER" in text}

    assert len(protocols) == 11
    assert [name for name in protocols if "PERFORM check_isolation();" not in texts[name]] == []
    assert [name for name in protocols if "SET search_path = event_store, pg_temp" not in texts[name]] == []
    assert [name for name, text in texts.items() if "now()" in text.replace("never now()", "")] == []


async def test_an_upgraded_store_goes_on(database: EventStoreDatabase) -> None:
    """A store that is open while `migrate` runs again prepares its plans anew and goes on."""
    store = await PostgresEventStore.open(database.application, size=1)
    try:
        start = c.Start(namespace=Namespace("n"), execution_id=ExecutionId("e"), batch_id="b", workflow="w")
        started = await store.start(start)
        await migrate(database.owner, [SCHEMA])
        await fetch(database.owner, "ALTER TABLE event_store.heads ADD COLUMN more text")

        head = await store.read_head(c.ReadHead(namespace=start.namespace, execution_id=start.execution_id))

        assert head.ref == started.execution
        assert (await store.start(start)).execution == started.execution
    finally:
        await store.close()
