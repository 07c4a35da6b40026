import pytest

from flows.cluster import Cluster, Owner, on_message, on_timer
from loom.ids import ChainRef
from loom.kernel.calls import Send
from loom.kernel.hints import ExecutionParked, NotifyResume
from loom.kernel.raw_json import RawJson


async def send(cluster: Cluster, to: Owner, message_id: str = "m1", name: str = "go") -> bool:
    """Did the message answer a park?"""
    chain = ChainRef(namespace=to.ref.namespace, execution_id=to.ref.execution_id, chain=to.chain)
    call = Send(
        namespace=chain.namespace,
        execution_id=chain.execution_id,
        chain=chain.chain,
        message_id=message_id,
        name=name,
        payload=RawJson.of({"yes": True}),
    )
    return (await cluster.store.send(call)).resumed


async def test_a_message_answers_the_park_in_its_own_transaction(cluster: Cluster) -> None:
    """I16: no other service takes part; a worker is told by notify-resume."""
    owner = await cluster.start_execution("waiter")
    await owner.park(on_message("go"))
    await cluster.deliver()

    assert await send(cluster, owner)

    assert await cluster.status("waiter") == "runnable"
    assert (await cluster.kinds("waiter"))[-2:] == ["MESSAGE_CONSUMED", "RESUMED"]
    await cluster.deliver()
    assert isinstance(cluster.bus.published[-1], NotifyResume)
    assert await cluster.sweep() == 0


async def test_a_message_that_came_first_answers_the_park_that_names_it(cluster: Cluster) -> None:
    """I16: the park looks into the inbox under the same lock, and no service need hear of it."""
    owner = await cluster.start_execution("waiter")
    assert not await send(cluster, owner)

    parked = await owner.park(on_message("go"))
    await cluster.deliver()

    assert parked.answered_seq is not None
    assert [type(hint) for hint in cluster.bus.published].count(ExecutionParked) == 0


async def test_a_wait_with_a_time_out_ends_by_whichever_is_first(cluster: Cluster) -> None:
    """I9, I32: message and timer are two waits of one park, which has one answer."""
    owner = await cluster.start_execution("waiter")
    await owner.park(on_message("go"), on_timer(1_000))
    await cluster.deliver()
    cluster.clock.advance(1_000)
    await cluster.fire()

    assert not await send(cluster, owner)

    assert (await cluster.events("waiter"))[-1].payload.parsed()["wait"] == "sleep"


@pytest.mark.parametrize("lost", [(), (NotifyResume, ExecutionParked)])
async def test_a_repeated_message_has_its_effect_once(cluster: Cluster, lost) -> None:
    """I3, I16: recognised by its id, also after it was consumed, with or without a bus."""
    cluster.bus.lost = lost
    owner = await cluster.start_execution("waiter")
    await owner.park(on_message("go"))
    await cluster.deliver()

    assert [await send(cluster, owner), await send(cluster, owner)] == [True, True]

    assert (await cluster.kinds("waiter")).count("MESSAGE_CONSUMED") == 1
