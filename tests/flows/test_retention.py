from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from flows.cluster import Cluster, on_child, on_group, on_message, on_timer
from loom.kernel.events import NewEvent
from loom_retention.archive import FolderArchive
from loom_retention.policy import Keep
from loom_retention.store import open_catalogue
from loom_retention.sweep import Sweeper

Sweep = Callable[[], Awaitable[dict[str, int]]]


@pytest.fixture
async def sweep(cluster: Cluster, tmp_path: Path) -> AsyncIterator[Sweep]:
    """One sweep of retention over everything that ended a second ago or earlier; what became of it."""
    catalogue = open_catalogue(tmp_path / "retention.db")
    keep = Keep(completed=1_000, failed=1_000, cancelled=1_000)
    sweeper = Sweeper(cluster.store, catalogue, FolderArchive(tmp_path / "archive"), keep)

    async def held() -> bool:
        return True

    async def run() -> dict[str, int]:
        cluster.clock.advance(1_001)
        return (await sweeper.run(cluster.clock.now(), dry_run=False, proceed=held)).counts

    yield run
    catalogue.close()


async def test_a_child_is_kept_until_its_outcome_is_in_its_parents_log(cluster: Cluster, sweep: Sweep) -> None:
    """I41, I45: while the parent runs, while it is parked on something else, and after its hints were lost too."""
    parent = await cluster.start_execution("parent")
    child = await parent.start_child("a")
    await cluster.finish_child(child, {"found": 7})
    assert await sweep() == {"kept": 1}
    await parent.park(on_timer(60_000))
    assert await sweep() == {"kept": 1}
    cluster.clock.advance(65_000)
    await cluster.sweep()
    again = await cluster.claim("parent")
    await again.park(on_child("a"))
    assert await sweep() == {"kept": 1}

    await cluster.deliver()

    assert (await cluster.events("parent"))[-2].payload.parsed()["outcome"] == {"found": 7}
    assert await sweep() == {"deleted": 1}
    assert await cluster.status(child.execution_id) == "deleted"


async def test_a_child_goes_when_its_parent_has_ended(cluster: Cluster, sweep: Sweep) -> None:
    """I45: nobody can want the outcome any more. The parent first: its end is what lets the child go."""
    parent = await cluster.start_execution("parent")
    child = await parent.start_child("a")
    await cluster.finish_child(child)
    await parent.complete()

    assert await sweep() == {"deleted": 2}
    assert await cluster.status(child.execution_id) == "deleted"


async def test_the_losers_of_any_are_not_pinned_for_ever(cluster: Cluster, sweep: Sweep) -> None:
    """H50: the answer of the group releases the edges of its other members."""
    parent = await cluster.start_execution("parent")
    winner, loser = [await parent.start_child(key) for key in "ab"]
    await parent.park(on_group("a", "b", policy="any"))
    await cluster.finish_child(winner)
    await cluster.deliver()
    await cluster.finish_child(loser)
    await (await cluster.claim("parent")).park(on_message("never"))

    assert await sweep() == {"deleted": 2}


async def test_a_parent_that_starts_a_deleted_child_again_is_given_the_first_one(
    cluster: Cluster, sweep: Sweep
) -> None:
    """I39: a key starts one child per life of its parent, also after that child's log is gone."""
    parent = await cluster.start_execution("parent")
    child = await parent.start_child("a")
    await cluster.finish_child(child)
    await parent.append(NewEvent(kind="CHILD_OUTCOME", child_key="a"))
    assert await sweep() == {"deleted": 1}

    assert await parent.start_child("a") == child


async def test_a_hint_about_a_deleted_child_is_no_poison(cluster: Cluster, sweep: Sweep) -> None:
    """I42: a child-done that arrives after its child and its parent were deleted is a no-op."""
    parent = await cluster.start_execution("parent")
    child = await parent.start_child("a")
    await cluster.finish_child(child)
    await parent.complete()
    assert await sweep() == {"deleted": 2}

    await cluster.deliver()

    assert cluster.bus.dead_letters == ()
    assert cluster.bus.pauses == []
