import asyncio

import pytest

from flows.cluster import Cluster, Owner, on_child
from loom.errors import Stale
from loom.kernel.calls import ListDue
from loom.kernel.events import NewEvent
from loom_servicekit.sweeps import Sweep
from loom_supervisor.sweep import Remedies


async def ended_by(cluster: Cluster, child) -> str:
    """By what a child was cancelled."""
    said = (await cluster.events(child.execution_id))[-1].payload.parsed()
    return said["by"]


async def test_the_end_of_a_parent_reaches_its_children_by_their_policies(cluster: Cluster) -> None:
    """I59: a pending one is cancelled, a running one asked, one to be terminated ended, one abandoned left alone."""
    parent = await cluster.start_execution("parent")
    pending, running = await parent.start_child("pending"), await parent.start_child("running")
    hard, left = await parent.start_child("hard", close="terminate"), await parent.start_child("left", close="abandon")
    owner, _ = await cluster.claim(running.execution_id), await cluster.claim(hard.execution_id)
    assert await cluster.sweep() == 0
    await parent.complete()

    assert await cluster.sweep() == 3

    statuses = [await cluster.status(each.execution_id) for each in (pending, running, hard, left)]
    assert statuses == ["cancelled", "running", "cancelled", "pending"]
    assert (await cluster.kinds(running.execution_id))[-1] == "CANCEL_REQUESTED"
    assert [await ended_by(cluster, each) for each in (pending, hard)] == ["parent", "parent"]
    await owner.append(NewEvent(kind="EXECUTION_CANCELLED"))
    assert await ended_by(cluster, running) == "parent"


async def test_a_child_that_does_not_heed_its_parents_end_is_ended_at_the_deadline(cluster: Cluster) -> None:
    """I57, I59: the request has the deadline of any other; it is made once."""
    parent = await cluster.start_execution("parent")
    child = await parent.start_child("kid")
    await cluster.claim(child.execution_id)
    await parent.complete()
    assert await cluster.sweep() == 1
    assert await cluster.sweep() == 0
    cluster.clock.advance(600_000)

    assert await cluster.sweep() == 1

    assert await cluster.status(child.execution_id) == "cancelled"
    assert await ended_by(cluster, child) == "deadline"


async def test_the_end_goes_down_the_tree(cluster: Cluster) -> None:
    """I59: a child that is ended for its parent is a parent that has ended, whatever waited for it."""
    parent = await cluster.start_execution("parent")
    child = await parent.start_child("kid", close="terminate")
    owner = await cluster.claim(child.execution_id)
    grandchild = await owner.start_child("kid", close="terminate")
    await owner.park(on_child("kid"))
    await parent.complete()

    assert [await cluster.sweep() for _ in range(3)] == [1, 1, 0]

    await cluster.deliver()
    statuses = [await cluster.status(each.execution_id) for each in (child, grandchild)]
    assert statuses == ["cancelled", "cancelled"]


async def test_a_run_that_continued_closes_its_own_children_and_keeps_the_chains(cluster: Cluster) -> None:
    """I58, I59: scope `run` ends with the link, scope `chain` with the last one."""
    parent = await cluster.start_execution("parent")
    of_run, of_chain = await parent.start_child("run", scope="run"), await parent.start_child("chain")

    await parent.continue_as_new()
    assert await cluster.sweep() == 1
    assert [await cluster.status(each.execution_id) for each in (of_run, of_chain)] == ["cancelled", "pending"]

    await (await cluster.claim("parent")).complete()
    assert await cluster.sweep() == 1
    assert await cluster.status(of_chain.execution_id) == "cancelled"


@pytest.mark.parametrize("close", ["cancel", "terminate"])
async def test_a_child_that_continues_under_the_sweep_is_closed_all_the_same(cluster: Cluster, close: str) -> None:
    """I59, law 4: seen as one link, met as the next: a cancel addresses the chain, an end comes a round later."""
    parent = await cluster.start_execution("parent")
    child = await parent.start_child("kid", close=close)
    owner = await cluster.claim(child.execution_id)
    await parent.complete()
    listed = cluster.store.list_due

    async def continues_behind_it(call):
        found = await listed(call)
        if call.about == "closes" and found.items and owner.calls < 1:
            await owner.continue_as_new()
        return found

    cluster.store.replaced["list_due"] = continues_behind_it
    await cluster.sweep()
    await cluster.sweep()

    head = await cluster.head(child.execution_id)
    assert head.link == 2
    assert head.status == "cancelled" if close == "terminate" else head.cancel_seq is not None


@pytest.mark.parametrize("end_first", [False, True])
async def test_a_child_started_while_its_parent_ends_is_closed_or_was_never_there(
    cluster: Cluster, end_first: bool
) -> None:
    """I59: `start_child` is judged under the parent's lock: nothing is started by what has ended."""
    parent = await cluster.start_execution("parent")
    calls = [parent.start_child("kid"), parent.complete()]

    answers = await asyncio.gather(*(calls[::-1] if end_first else calls), return_exceptions=True)
    await cluster.sweep()

    children = [answer for answer in answers if answer is not None and not isinstance(answer, Exception)]
    for child in children:
        assert await cluster.status(child.execution_id) == "cancelled"
    assert children or any(isinstance(answer, Exception) for answer in answers)
    with pytest.raises(Stale):
        await Owner(cluster, parent.credential, parent.chain, calls=9).start_child("late")


async def test_children_listed_before_the_end_are_not_enough(cluster: Cluster) -> None:
    """Negative control: whoever lists the children, ends the parent and cancels what it listed lets one escape."""
    parent = await cluster.start_execution("parent")
    listed = [await parent.start_child("early")]
    late = await parent.start_child("late")
    await parent.complete()
    sweep = next(each for each in cluster._backgrounds(Sweep) if each._about == "closes")
    all_of_it = sweep._remedy

    async def only_listed(due) -> bool:
        return due.execution in listed and await all_of_it(due)

    sweep._remedy = only_listed
    await cluster.sweep()

    assert await cluster.status(late.execution_id) == "pending"
    sweep._remedy = all_of_it
    assert await cluster.sweep() == 1


async def test_what_is_found_is_counted_and_what_somebody_else_did_is_not(cluster: Cluster) -> None:
    """Design 4: what only a sweep found is counted; a finding whose child has ended meanwhile is no find."""
    parent = await cluster.start_execution("parent")
    child = await parent.start_child("kid", close="terminate")
    await parent.complete()
    (due,) = (await cluster.store.list_due(ListDue(about="closes"))).items
    await cluster.finish_child(child)

    assert await Remedies(cluster.store, None).close(due) is False
    assert await cluster.sweep() == 0
