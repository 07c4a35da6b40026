"""A feature that is off, on real processes: the consumer backs off in its lane and acknowledges nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import asyncpg

from fixtures.stack import Stack
from loom.client.event_store import HttpEventStore
from loom.client.timers import HttpTimerStore
from loom.kernel import calls as c
from loom.kernel.hints import ChildDone
from loom.stores.timer_store import ReadTimers
from loom_conformance import Subject
from loom_conformance.scene import Execution, Scene
from loom_conformance.waits import child as child_wait
from stack.offsets import read_lag

PATIENCE_S = 60


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    """Look again and again; a test that waits in vain fails."""
    async with asyncio.timeout(PATIENCE_S):
        while not await holds():  # noqa: ASYNC110 - other processes have no event of ours
            await asyncio.sleep(0.1)


async def waiting_parent(store: HttpEventStore) -> tuple[Execution, Execution]:
    """A parent parked on its child, and the child, running."""
    scene = Scene(Subject(name="stack", store=store), "features")
    parent = await scene.owned()
    child = await parent.start_child("kid")
    await child.claim()
    await parent.park(child_wait("kid"))
    return parent, child


@asynccontextmanager
async def held(stack: Stack, execution: Execution) -> AsyncIterator[None]:
    """Its head is locked: every resume is contended."""
    connection = await asyncpg.connect(stack.owner_url)
    try:
        async with connection.transaction():
            await connection.execute(
                "SELECT FROM event_store.heads WHERE incarnation = $1 FOR UPDATE", int(execution.ref.incarnation)
            )
            yield
    finally:
        await connection.close()


async def redrives(stack: Stack, execution: Execution) -> int:
    """How many rows timers has for it."""
    async with HttpTimerStore(stack.url_of("timers")) as timers:
        call = ReadTimers(namespace=execution.ref.namespace, execution_id=execution.ref.execution_id)
        return len((await timers.read(call)).items)


async def lag(stack: Stack) -> int:
    """What the supervisors have not acknowledged of children's ends."""
    assert stack.kafka is not None
    return await read_lag(stack.kafka.bootstrap, "loom-supervisor", ChildDone.TOPIC)


async def test_with_redrives_off_a_contended_hint_waits_unacknowledged_in_its_lane(
    stack: Stack, store: HttpEventStore
) -> None:
    """I56, I44: no row that an older timers would misread, nothing acknowledged; the lane itself tries again."""
    await store.switch_feature(c.SwitchFeature(name="redrives", on=False))
    try:
        parent, child = await waiting_parent(store)
        async with held(stack, parent):
            await child.end()
            await until(lambda: _said(stack, "the feature redrives is off"))
            waited = (await redrives(stack, parent), await lag(stack))

        await until(lambda: _moved(parent))
        await until(lambda: _none_left(stack))
    finally:
        await store.switch_feature(c.SwitchFeature(name="redrives", on=True))

    assert waited == (0, 1)
    assert await redrives(stack, parent) == 0


async def test_with_redrives_on_it_becomes_a_row_and_is_acknowledged(stack: Stack, store: HttpEventStore) -> None:
    """Negative control for the rule above, I44: the row is durable, so the hint is done with while the head is held."""
    parent, child = await waiting_parent(store)

    async with held(stack, parent):
        await child.end()
        await until(lambda: _has_row(stack, parent))
        await until(lambda: _none_left(stack))

    await until(lambda: _moved(parent))


async def _said(stack: Stack, words: str) -> bool:
    return words in stack["supervisor-1"].read_log()


async def _moved(parent: Execution) -> bool:
    return (await parent.head()).park_seq is None


async def _none_left(stack: Stack) -> bool:
    return await lag(stack) == 0


async def _has_row(stack: Stack, parent: Execution) -> bool:
    return await redrives(stack, parent) == 1
