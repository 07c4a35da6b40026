"""Retention's own tables, in a file and in a database."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from fixtures.event_stores import migrated_database
from loom.ids import ExecutionId, Incarnation, Instant, Namespace, Sequence
from loom_retention.archive import Manifest
from loom_retention.catalogue import Catalogue
from loom_retention.policy import Keep
from loom_retention.reports import Report
from loom_retention.store import PACKAGE, SWEEPS_KEPT, SqlCatalogue, open_catalogue
from loom_servicekit.postgres import PostgresTables, open_pool

NAMESPACE = Namespace("n")


@pytest.fixture(params=["sqlite", "postgres"])
async def catalogue(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Catalogue]:
    """Empty, by either driver."""
    async with AsyncExitStack() as stack:
        if request.param == "sqlite":
            file = open_catalogue(tmp_path / "retention.db")
            stack.callback(file.close)
            yield file
            return
        database = await stack.enter_async_context(migrated_database(request.getfixturevalue("postgres")))
        pool = await open_pool(database.application, size=2)
        stack.push_async_callback(pool.close)
        yield SqlCatalogue(PostgresTables(pool, PACKAGE, "retention"))


def report(started_at: int) -> Report:
    """A sweep that found nothing."""
    return Report(started_at=Instant(started_at), dry_run=True, finished=True, counts={}, items=())


def manifest(incarnation: int, archived_at: int) -> Manifest:
    """An archived log of one execution id."""
    return Manifest(
        format=1,
        namespace=NAMESPACE,
        execution_id="e",
        incarnation=Incarnation(incarnation),
        ending="completed",
        last_seq=Sequence(3),
        events=3,
        edges=0,
        messages=0,
        bytes=10,
        sha256="0" * 64,
        archived_at=Instant(archived_at),
        file=f"{archived_at}.jsonl.zst",
    )


async def test_policies_are_written_over_and_removed(catalogue: Catalogue) -> None:
    """Design 4: retention owns policies; a namespace without one has the default."""
    default, other = Keep(), Keep(completed=1, failed=None)
    await catalogue.write_policy(NAMESPACE, Keep(completed=5))
    await catalogue.write_policy(NAMESPACE, other)

    assert (await catalogue.read_policies(default)).of(NAMESPACE) == other

    await catalogue.remove_policy(NAMESPACE)
    assert (await catalogue.read_policies(default)).of(NAMESPACE) == default


async def test_the_newest_sweeps_are_kept(catalogue: Catalogue) -> None:
    """Two statements, one transaction: the row is written and the oldest goes."""
    for started_at in range(SWEEPS_KEPT + 3):
        await catalogue.write_sweep(report(started_at))

    kept = [sweep.started_at for sweep in await catalogue.read_sweeps(1000)]
    assert kept == list(range(SWEEPS_KEPT + 2, 2, -1))


async def test_an_incarnation_archived_again_replaces_its_entry(catalogue: Catalogue) -> None:
    """One row per incarnation; an id may have had several, newest first."""
    for incarnation, archived_at in ((1, 10), (2, 20), (1, 30)):
        await catalogue.write_archive(manifest(incarnation, archived_at))

    found = await catalogue.read_archives(NAMESPACE, ExecutionId("e"))
    assert [(entry.incarnation, entry.archived_at) for entry in found] == [(1, 30), (2, 20)]
