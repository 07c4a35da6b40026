"""The lost wake-up: whoever is second, the park or the child's end, finds both (kafka 4.3)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

import pytest

from fixtures.postgres import Postgres
from flows.cluster import Cluster, on_child, on_message
from flows.wake_ups import Outcome, Settling, supervised
from loom.kernel import calls as c
from loom.kernel.hints import ExecutionParked, Hint

ALL = 10_000
FEW = 120
"""Schedules of three sessions: those that differ from the first one at its last steps."""

Order = tuple[tuple[str, bool], ...]


def orders(*moves: str) -> Iterator[Order]:
    """Every order of these moves, the relay running or not after each."""
    for order in permutations(moves):
        for told in product((False, True), repeat=len(moves)):
            yield tuple(zip(order, told, strict=True))


def name_of(order: Order) -> str:
    """The moves, with a full stop where the relay runs."""
    return " ".join(move + "." * told for move, told in order)


async def play(cluster: Cluster, order: Order) -> None:
    """A parent parks on its child and on mail, its child ends, mail comes; then everything that was told is heard."""
    parent = await cluster.start_execution("parent")
    one = await parent.start_child("a")
    kid = await cluster.claim(one.execution_id)
    for move, told in order:
        match move:
            case "park":
                await parent.park(on_child("a"), on_message("go"))
            case "end":
                await kid.complete(7)
            case "send":
                at = {"namespace": parent.ref.namespace, "execution_id": parent.ref.execution_id}
                await cluster.store.send(c.Send(**at, chain=parent.chain, message_id="m", name="go"))
        if told:
            await cluster.deliver()
    await cluster.deliver()


@pytest.mark.parametrize("order", [*orders("park", "end"), *orders("park", "end", "send")], ids=name_of)
async def test_a_parent_is_woken_in_whatever_order_it_parks_and_its_child_ends(cluster: Cluster, order: Order) -> None:
    """H41, I38: no sweep is needed, with and without messages; and the other answer is not lost by the first."""
    await play(cluster, order)

    assert await cluster.status("parent") == "runnable"
    assert (await cluster.kinds("parent")).count("RESUMED") == 1
    if "CHILD_OUTCOME" not in await cluster.kinds("parent"):
        woken = await cluster.claim("parent")
        await woken.park(on_child("a"))
        await cluster.deliver()
        assert await cluster.status("parent") == "runnable"
    assert await cluster.sweep() == 0


@pytest.mark.parametrize("order", [*orders("park", "end")], ids=name_of)
async def test_without_the_park_as_a_trigger_it_sleeps_where_the_end_was_told_first(
    cluster: Cluster, order: Order
) -> None:
    """Negative control for H41: with neither the hint of the park nor a sweep, nobody ever comes."""
    cluster.bus.lost = (ExecutionParked,)

    await play(cluster, order)

    asleep = order[0] == ("end", True)
    assert await cluster.status("parent") == ("parked" if asleep else "runnable")
    assert await cluster.sweep() == asleep


async def settled(postgres: Postgres, settling: Settling, most: int, *deaf_to: type[Hint]) -> Outcome:
    """What the schedules on real sessions come to."""
    async with supervised(postgres, 3 if settling.mail else 2, deaf_to) as wakers:
        return await wakers.settle_all(settling, most)


async def test_a_parent_is_woken_whatever_its_park_and_its_childs_end_see_of_each_other(postgres: Postgres) -> None:
    """H41: every schedule of both transactions on Postgres, statement by statement, with the locks that they hold; the
    supervisor looks as soon as anything is committed.
    """
    outcome = await settled(postgres, Settling(mail=False), ALL)

    assert outcome.asleep == []
    assert outcome.schedules > 500


async def test_a_parent_is_woken_when_a_message_meets_them_as_well(postgres: Postgres) -> None:
    """H41 with mail: three transactions; whichever answers first, the child's end is not lost."""
    outcome = await settled(postgres, Settling(mail=True), FEW)

    assert outcome.asleep == []
    assert outcome.blocked


async def test_without_the_park_as_a_trigger_some_schedule_leaves_the_parent_asleep(postgres: Postgres) -> None:
    """Negative control for H41, kafka 4.3: the child's end is seen, told and done with before the park commits."""
    outcome = await settled(postgres, Settling(mail=False), ALL, ExecutionParked)

    assert outcome.asleep
