from flows.cluster import Cluster, on_child, on_timer
from loom.kernel.calls import Cancel, Renew
from loom.kernel.events import NewEvent

TEN_MINUTES_MS = 600_000


async def request_cancel(cluster: Cluster, owner) -> None:
    """By an operator."""
    await cluster.store.cancel(
        Cancel(
            namespace=owner.ref.namespace, execution_id=owner.ref.execution_id, chain=owner.chain, reason="no longer"
        )
    )


async def test_a_request_that_is_not_heeded_ends_the_execution_at_its_deadline(cluster: Cluster) -> None:
    """I57: terminated by the supervisor's sweep, even under a lease that its owner keeps renewing."""
    owner = await cluster.start_execution("busy")
    await request_cancel(cluster, owner)
    for _ in range(19):
        cluster.clock.advance(30_000)
        await renew(cluster, owner)
    assert await cluster.sweep() == 0
    cluster.clock.advance(30_000)

    assert await cluster.sweep() == 1

    ended = (await cluster.events("busy"))[-1]
    assert await cluster.status("busy") == "cancelled"
    assert ended.payload.parsed()["by"] == "deadline"


async def test_a_request_that_is_heeded_in_time_is_not_ended_again(cluster: Cluster) -> None:
    """I6, I57: what has ended stays ended."""
    owner = await cluster.start_execution("busy")
    await request_cancel(cluster, owner)
    await owner.append(NewEvent(kind="EXECUTION_CANCELLED"))
    cluster.clock.advance(TEN_MINUTES_MS)

    assert await cluster.sweep() == 0
    assert (await cluster.events("busy"))[-1].payload.parsed()["by"] == "request"


async def test_a_request_opens_a_park_and_timers_has_nothing_left_to_do(cluster: Cluster) -> None:
    """I57: answered with null in the transaction of the request; the row is over when its time comes."""
    owner = await cluster.start_execution("sleeper")
    await owner.park(on_timer(1_000))
    await cluster.deliver()

    await request_cancel(cluster, owner)
    assert await cluster.status("sleeper") == "runnable"
    cluster.clock.advance(1_000)
    await cluster.fire()

    assert (await cluster.kinds("sleeper")).count("RESUMED") == 1
    assert await cluster.rows("sleeper") == ()


async def test_the_deadline_of_an_execution_becomes_a_request(cluster: Cluster) -> None:
    """Design 2: a passed `deadline_at` is found by the supervisor's sweep; the body may still compensate."""
    owner = await cluster.start_execution("late", timeout_ms=5_000)
    await owner.park(on_timer(3_600_000))
    await cluster.deliver()
    cluster.clock.advance(4_999)
    assert await cluster.sweep() == 0
    cluster.clock.advance(1)

    assert await cluster.sweep() == 1

    assert await cluster.status("late") == "runnable"
    assert (await cluster.kinds("late"))[-2:] == ["CANCEL_REQUESTED", "RESUMED"]
    assert await cluster.sweep() == 0


async def test_the_end_by_deadline_reaches_the_parent_like_any_other(cluster: Cluster) -> None:
    """I41: the outcome is on the edge, and the parent hears of it."""
    parent = await cluster.start_execution("parent")
    child = await parent.start_child("a")
    owner = await cluster.claim(child.execution_id)
    await parent.park(on_child("a"))
    await request_cancel(cluster, owner)
    cluster.clock.advance(TEN_MINUTES_MS)

    assert await cluster.sweep() == 1
    await cluster.deliver()

    assert await cluster.status("parent") == "runnable"
    assert (await cluster.events("parent"))[-2].payload.parsed()["status"] == "cancelled"


async def renew(cluster: Cluster, owner) -> None:
    """The owner keeps its lease."""
    await cluster.store.renew(
        Renew(
            namespace=owner.ref.namespace,
            execution_id=owner.ref.execution_id,
            credential=owner.credential,
            ttl_ms=60_000,
        )
    )
