from dataclasses import replace

import pytest

from flows.cluster import Cluster, Owner, on_child, on_group
from loom.ids import Incarnation
from loom.kernel.calls import OpenPark, ReadPark
from loom.kernel.hints import ChildDone, ExecutionParked


async def parent_that_parks_last(cluster: Cluster) -> Owner:
    """Its child has ended, and the hint of that has come and gone, when it parks."""
    parent = await cluster.start_execution("parent")
    child = await parent.start_child("a")
    await cluster.finish_child(child, {"found": 7})
    await cluster.deliver()
    await parent.park(on_child("a"))
    await cluster.deliver()
    return parent


async def parent_that_parks_first(cluster: Cluster) -> Owner:
    """It is parked, and the hint of that has come and gone, when its child ends."""
    parent = await cluster.start_execution("parent")
    child = await parent.start_child("a")
    await parent.park(on_child("a"))
    await cluster.deliver()
    assert await cluster.status("parent") == "parked"
    await cluster.finish_child(child, {"found": 7})
    await cluster.deliver()
    return parent


BOTH_ORDERS = pytest.mark.parametrize("order", [parent_that_parks_first, parent_that_parks_last])


@BOTH_ORDERS
async def test_a_parent_is_resumed_whoever_was_first(cluster: Cluster, order) -> None:
    """I38, H41: both facts are triggers. The supervisor names keys, the store copies outcomes (I17)."""
    await order(cluster)

    assert await cluster.status("parent") == "runnable"
    outcome = (await cluster.events("parent"))[-2]
    assert outcome.kind == "CHILD_OUTCOME"
    assert outcome.payload.parsed()["outcome"] == {"found": 7}
    assert await cluster.sweep() == 0


@pytest.mark.parametrize(
    ("order", "deaf_to"), [(parent_that_parks_first, ChildDone), (parent_that_parks_last, ExecutionParked)]
)
async def test_with_one_trigger_alone_one_order_is_lost_and_the_sweep_finds_it(
    cluster: Cluster, order, deaf_to
) -> None:
    """Negative control for I38: the park is no trigger, or the child's end is none. Then the guarantee: the sweep."""
    cluster.bus.lost = (deaf_to,)

    await order(cluster)

    assert await cluster.status("parent") == "parked"
    assert await cluster.sweep() == 1
    assert await cluster.status("parent") == "runnable"
    assert await cluster.sweep() == 0


async def test_a_decision_on_a_replica_that_lags_is_lost_and_the_sweep_finds_it(cluster: Cluster) -> None:
    """Negative control for I38: the mutant reads a standby, which does not know yet what the hint is about."""
    parent = await cluster.start_execution("parent")
    child = await parent.start_child("a")
    await parent.park(on_child("a"))
    await cluster.deliver()
    seen = ReadPark(
        namespace=parent.ref.namespace, execution_id=parent.ref.execution_id, incarnation=parent.ref.incarnation
    )
    replica = await cluster.store.read_park(seen)

    async def lagging(call: ReadPark) -> OpenPark:
        return replica

    cluster.store.replaced["read_park"] = lagging
    await cluster.finish_child(child)
    await cluster.deliver()

    assert await cluster.status("parent") == "parked"
    assert await cluster.sweep() == 1


@BOTH_ORDERS
async def test_without_any_hint_all_work_still_finishes(cluster: Cluster, order) -> None:
    """Design 4: the bus may lose every message; I42."""
    cluster.bus.lost = (ChildDone, ExecutionParked)

    parent = await order(cluster)
    assert await cluster.sweep() == 1
    resumed = await cluster.claim(parent.ref.execution_id)
    await resumed.complete()

    assert await cluster.status("parent") == "completed"


@BOTH_ORDERS
async def test_hints_repeated_and_out_of_order_resume_a_parent_once(cluster: Cluster, order) -> None:
    """I42, I9: a hint says where to look, and a park has at most one answer."""
    cluster.bus.copies, cluster.bus.reverse = 3, True

    await order(cluster)

    assert await cluster.status("parent") == "runnable"
    assert (await cluster.kinds("parent")).count("RESUMED") == 1
    assert (await cluster.kinds("parent")).count("CHILD_OUTCOME") == 1


async def test_a_group_is_resumed_when_its_rule_is_met(cluster: Cluster) -> None:
    """I40: whether enough have ended is computed from the edges each time, never counted from hints."""
    cluster.bus.copies = 5
    parent = await cluster.start_execution("parent")
    children = {key: await parent.start_child(key) for key in "abc"}
    await parent.park(on_group(*children))

    for key, child in children.items():
        assert await cluster.status("parent") == "parked"
        await cluster.finish_child(child, key)
        await cluster.deliver()

    assert await cluster.status("parent") == "runnable"
    assert (await cluster.kinds("parent"))[-4:] == ["CHILD_OUTCOME"] * 3 + ["RESUMED"]


async def test_a_failed_member_counts_as_ended_and_not_as_completed(cluster: Cluster) -> None:
    """I40: `any` waits for one that completed, or until too few are left."""
    parent = await cluster.start_execution("parent")
    children = [await parent.start_child(key) for key in "ab"]
    await parent.park(on_group("a", "b", policy="any"))
    await (await cluster.claim(children[0].execution_id)).fail()
    await cluster.deliver()
    assert await cluster.status("parent") == "parked"

    await (await cluster.claim(children[1].execution_id)).fail()
    await cluster.deliver()

    assert await cluster.status("parent") == "runnable"


async def test_a_hint_of_an_earlier_incarnation_reaches_nothing(cluster: Cluster) -> None:
    """I48: the hint remembers the parent's incarnation; another one that lives under the id is left alone."""
    parent = await cluster.start_execution("parent")
    await parent.start_child("a")
    await parent.park(on_child("a"))
    await cluster.deliver()
    hint = next(hint for hint in cluster.bus.published if isinstance(hint, ExecutionParked))

    await cluster.bus.tell(replace(hint, incarnation=Incarnation(1)))
    await cluster.bus.settled()

    assert await cluster.status("parent") == "parked"
    assert cluster.bus.dead_letters == ()
    assert cluster.bus.pauses == []
