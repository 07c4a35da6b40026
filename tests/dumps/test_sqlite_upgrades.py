"""A file of every released schema, with rows in every table, is upgraded by whoever opens it."""

from __future__ import annotations

import multiprocessing
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cli.processes import loom
from dumps.keeping import FILES, SQLITE, restore_sqlite, version_of
from dumps.upgrading import upgrade
from loom_servicekit.sqlite import NewerFile, open_file, read_migrations

DUMPS = sorted(SQLITE.glob("*.sql"))
NEXT = "CREATE TABLE next_release (one INTEGER);\nINSERT INTO next_release VALUES (1);"
"""What the next release might bring: run twice it fails."""


@pytest.fixture(params=DUMPS, ids=lambda dump: dump.stem)
def dump(request: pytest.FixtureRequest) -> Path:
    """Of one file of one release."""
    path: Path = request.param
    return path


@pytest.fixture
def path(dump: Path, tmp_path: Path) -> Path:
    """The file as that release left it."""
    path = tmp_path / "old.db"
    restore_sqlite(dump, path)
    return path


def file_of(dump: Path) -> str:
    """Which of the files of a folder."""
    return dump.stem.partition(".")[0]


def fetch(path: Path, query: str) -> list[tuple[object, ...]]:
    """The rows."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def tables_of(path: Path) -> list[str]:
    """Their names."""
    listed = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY 1"
    return [str(name) for (name,) in fetch(path, listed)]


def counts_of(path: Path) -> dict[str, object]:
    """Rows by table."""
    return {name: fetch(path, f"SELECT count(*) FROM {name}")[0][0] for name in tables_of(path)}


def schema_of(path: Path) -> list[tuple[object, ...]]:
    """Every table and index, but for the blanks in its text."""
    return sorted(
        (name, " ".join(str(sql).split())) for name, sql in fetch(path, "SELECT name, sql FROM sqlite_master")
    )


def test_a_dump_has_rows_in_every_table(path: Path) -> None:
    """Issue 4: an upgrade of an empty table proves nothing."""
    assert [name for name, count in counts_of(path).items() if not count] == []


def test_an_old_file_becomes_todays_and_keeps_what_it_had(dump: Path, path: Path, tmp_path: Path) -> None:
    """Issue 4: opening upgrades; afterwards it is as a new file is, with the rows of before."""
    migrations, before = read_migrations(FILES[file_of(dump)]), counts_of(path)

    open_file(path, migrations).close()
    open_file(tmp_path / "new.db", migrations).close()

    assert schema_of(path) == schema_of(tmp_path / "new.db")
    assert before.items() <= counts_of(path).items()
    assert fetch(path, "PRAGMA user_version") == [(len(migrations),)]


def test_two_processes_upgrade_one_file_at_once(dump: Path, path: Path) -> None:
    """Issue 4: one BEGIN IMMEDIATE: one of them runs the migration, the other finds it done, nobody fails."""
    context = multiprocessing.get_context("spawn")
    gate, faults = context.Barrier(2), context.Queue()
    given = (path, (*read_migrations(FILES[file_of(dump)]), NEXT), gate, faults)
    both = [context.Process(target=upgrade, args=given) for _ in range(2)]
    for process in both:
        process.start()
    for process in both:
        process.join()

    assert faults.empty()
    assert fetch(path, "SELECT * FROM next_release") == [(1,)]


def test_a_migration_run_twice_would_fail(dump: Path, path: Path) -> None:
    """Negative control for the test above: without the version, read under the lock, the second one breaks."""
    migrations = (*read_migrations(FILES[file_of(dump)]), NEXT)
    open_file(path, migrations).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {len(migrations) - 1}")

    with pytest.raises(Exception, match="already exists"):
        open_file(path, migrations)


def test_a_migration_that_breaks_leaves_the_file_as_it_was(dump: Path, path: Path) -> None:
    """One transaction: half an upgrade is none."""
    migrations, before = read_migrations(FILES[file_of(dump)]), schema_of(path)

    with pytest.raises(Exception, match="no_such_table"):
        open_file(path, (*migrations, NEXT, "DELETE FROM no_such_table;"))

    assert (schema_of(path), fetch(path, "PRAGMA user_version")) == (before, [(int(dump.stem.partition(".")[2]),)])


def test_a_newer_file_is_refused_by_the_program(dump: Path, tmp_path: Path) -> None:
    """Typed, and a sentence for whoever starts `loom dev` on it; the file stays as it is."""
    folder = tmp_path / ".loom"
    folder.mkdir()
    path = folder / f"{file_of(dump)}.db"
    restore_sqlite(dump, path)
    open_file(path, (*read_migrations(FILES[file_of(dump)]), NEXT)).close()

    with pytest.raises(NewerFile):
        open_file(path, read_migrations(FILES[file_of(dump)]))
    said = loom("dev", "--port", "0", cwd=tmp_path)

    assert said.returncode == 1
    assert "loom: data-unusable: .loom: the file has version" in said.stderr
    assert "Traceback" not in said.stderr


@pytest.mark.parametrize("file", FILES)
def test_todays_schema_has_its_dump(file: str) -> None:
    """Whoever adds a migration runs `make dumps`, and the older dumps stay."""
    assert f"{file}.{version_of(file)}" in {dump.stem for dump in DUMPS}
