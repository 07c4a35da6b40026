"""`loom dev --postgres`: the same stack, its state in a database."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

from cli.processes import PATIENCE_S, loom, loom_dev
from fixtures.postgres import Postgres


@pytest.fixture
def url(postgres: Postgres) -> Iterator[str]:
    """The owner's URL of an empty database."""
    name = asyncio.run(postgres.create_database())
    yield postgres.database_url(name)
    asyncio.run(postgres.drop_database(name))


def test_after_sigkill_everything_acknowledged_is_in_the_database(tmp_path: Path, url: str) -> None:
    """Issue 4: `loom dev --postgres URL` runs the embedded stack on it, on an empty database too, and again at once."""
    for id in ("o-1", "o-2"):
        with loom_dev(tmp_path, "--port", "0", "--postgres", url) as (process, announced):
            started = loom("start", "order", "--id", id, cwd=tmp_path, LOOM_URL=announced["url"])
            process.send_signal(signal.SIGKILL)
            process.wait(PATIENCE_S)
            assert (started.returncode, started.stdout) == (0, f"{id}\n")

    with loom_dev(tmp_path, "--port", "0", "--postgres", url) as (process, announced):
        listed = loom("list", cwd=tmp_path, LOOM_URL=announced["url"])
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0

    assert [line.split()[0] for line in listed.stdout.splitlines()] == ["EXECUTION", "o-2", "o-1"]
    assert not (tmp_path / ".loom" / "event-store.db").exists()


def test_a_database_is_served_by_one_loom_dev_at_a_time(tmp_path: Path, url: str) -> None:
    """Two in-process buses over one database would each hear half of the hints, whatever folders they use."""
    with loom_dev(tmp_path, "--port", "0", "--postgres", url):
        second = loom("dev", "--port", "0", "--data", "other", "--postgres", url, cwd=tmp_path)

    assert second.returncode == 1
    assert "loom: data-held: another process serves this database" in second.stderr


def test_a_database_that_cannot_be_used_says_so(tmp_path: Path, url: str) -> None:
    """No traceback: unreachable, or migrated by a newer program."""
    nowhere = loom("dev", "--port", "0", "--postgres", "postgresql://postgres@127.0.0.1:1/none", cwd=tmp_path)
    loom("migrate", "--database", url, cwd=tmp_path)
    asyncio.run(execute(url, "INSERT INTO loom.migrations VALUES ('timers', 99, '0099_x', 'c')"))
    newer = loom("dev", "--port", "0", "--postgres", url, cwd=tmp_path)

    assert (nowhere.returncode, newer.returncode) == (7, 1)
    assert "loom: database-unusable: the database cannot be reached" in nowhere.stderr
    assert "loom: database-unusable: timers is at 99" in newer.stderr
    assert "Traceback" not in nowhere.stderr + newer.stderr


async def execute(url: str, statement: str) -> None:
    """As the owner."""
    connection = await asyncpg.connect(url)
    await connection.execute(statement)
    await connection.close()
