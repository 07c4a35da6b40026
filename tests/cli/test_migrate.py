from __future__ import annotations

import io

from fixtures.postgres import Postgres
from loom_cli.__main__ import run
from loom_cli.connection import connect


async def migrated(*words: str) -> tuple[int, str, str]:
    """What `loom migrate` ends with and says."""
    stdout, stderr = io.StringIO(), io.StringIO()
    code = await run(["migrate", *words], connect, stdout, stderr)
    return code, stdout.getvalue(), stderr.getvalue()


async def test_migrate_says_what_it_applied(postgres: Postgres) -> None:
    """operations.md: the first time every migration, the second time none."""
    name = await postgres.create_database()
    try:
        first = await migrated("--database", postgres.database_url(name))
        second = await migrated("--database", postgres.database_url(name))
    finally:
        await postgres.drop_database(name)

    assert (first[0], first[2]) == (0, "")
    assert "event_store/0001_heads_and_events" in first[1]
    assert second == (0, "the database is up to date\n", "")


async def test_an_unreachable_database_has_its_exit_code() -> None:
    """Each fault ends with a number of its own, and says nothing on stdout."""
    code, stdout, stderr = await migrated("--database", "postgresql://postgres@127.0.0.1:1/none")

    assert (code, stdout) == (7, "")
    assert "cannot be reached" in stderr
