from flows.cluster import Cluster, on_child, on_group


async def test_a_parent_that_parked_first_is_resumed_by_the_end_of_its_child(cluster: Cluster) -> None:
    """I38: the child's end is a trigger; the store copies the outcome, the supervisor only names it (I17)."""
    parent = await cluster.start_execution("parent")
    child = await parent.start_child("a")
    await parent.park(on_child("a"))
    await cluster.deliver()
    assert await cluster.status("parent") == "parked"

    await cluster.finish_child(child, {"found": 7})
    await cluster.deliver()

    assert await cluster.status("parent") == "runnable"
    outcome = (await cluster.events("parent"))[-2]
    assert outcome.kind == "CHILD_OUTCOME"
    assert outcome.payload.parsed()["outcome"] == {"found": 7}
    assert await cluster.sweep() == 0


async def test_a_parent_that_parked_after_its_child_ended_is_resumed_by_the_park(cluster: Cluster) -> None:
    """I38, H41: the child's hint found no park; the park's own hint comes after both facts."""
    parent = await cluster.start_execution("parent")
    child = await parent.start_child("a")
    await cluster.finish_child(child)
    await cluster.deliver()
    assert await cluster.status("parent") == "running"

    await parent.park(on_child("a"))
    await cluster.deliver()

    assert await cluster.status("parent") == "runnable"
    assert await cluster.sweep() == 0


async def test_a_group_is_resumed_when_its_last_member_ends(cluster: Cluster) -> None:
    """I40: whether enough have ended is computed from the edges each time, never counted from hints."""
    parent = await cluster.start_execution("parent")
    children = {key: await parent.start_child(key) for key in "abc"}
    await parent.park(on_group(*children))

    for key, child in children.items():
        assert await cluster.status("parent") == "parked"
        await cluster.finish_child(child, key)
        await cluster.deliver()

    assert await cluster.status("parent") == "runnable"
    assert (await cluster.kinds("parent"))[-4:] == ["CHILD_OUTCOME"] * 3 + ["RESUMED"]
