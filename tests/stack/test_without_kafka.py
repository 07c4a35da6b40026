"""The broker is dead, and everything that runs knows it: sweeps alone keep the work going (I38, kafka 1 row 8)."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import asyncpg
import pytest

import loom
from fixtures.stack import Stack, running_stack
from fixtures.sweeping import found_by_sweeps
from loom.client.event_store import HttpEventStore
from loom.ids import Namespace
from loom.kernel import calls as c

PARENTS, CHILDREN = 50, 5
WITHIN_S = 60.0
NEVER_MS = str(3_600_000)
"""Between two sweeps; the first one comes at the start, when there is nothing."""


@loom.workflow(name="quiet.child")
async def child(ctx: loom.Context, number: int) -> int:
    """Ends at once."""
    return number


@loom.workflow(name="quiet.parent")
async def parent(ctx: loom.Context) -> int:
    """Five children and a timer: two parks."""
    children = [await ctx.start_child(child, number) for number in range(CHILDREN)]
    done = await ctx.gather(*children)
    await ctx.sleep(1)
    return sum(done)


@pytest.fixture
def without_kafka(request: pytest.FixtureRequest) -> Iterator[Stack]:
    """The full stack, ready; then its broker is killed."""
    with running_stack(environ=getattr(request, "param", {})) as stack:
        assert stack.kafka is not None
        stack.kafka.stop(signal.SIGKILL)
        yield stack


@asynccontextmanager
async def begun(stack: Stack) -> AsyncIterator[HttpEventStore]:
    """All parents started, and a worker that takes what is runnable."""
    async with HttpEventStore(stack.url) as store, loom.Client(store) as client:
        worker = loom.Worker(stack.url, [parent, child], concurrency=50, poll_wait_ms=500)
        working = asyncio.create_task(worker.run())
        for number in range(PARENTS):
            await client.start(parent, id=f"parent-{number}")
        try:
            yield store
        finally:
            worker.stop()
            await working


async def counts(store: HttpEventStore) -> dict[str, int]:
    """Executions by status."""
    return (await store.count_executions(c.CountExecutions(namespace=Namespace("default")))).counts


async def test_with_kafka_stopped_everything_finishes_and_only_sweeps_found_it(without_kafka: Stack) -> None:
    """I38, H45: 50 parents of five children and a timer, within a minute, on the full stack without its broker."""
    began = time.monotonic()
    async with begun(without_kafka) as store, asyncio.timeout(WITHIN_S):
        while (await counts(store)).get("completed", 0) < PARENTS * (1 + CHILDREN):  # noqa: ASYNC110
            await asyncio.sleep(0.2)
        took_s = time.monotonic() - began

    assert took_s < WITHIN_S
    assert found_by_sweeps(without_kafka) > 0


async def forgotten(store: HttpEventStore) -> int:
    """Parents whose children have ended, or whose timer has passed, and that are parked all the same."""
    return len((await store.list_due(c.ListDue(about="satisfied"))).items) + len(
        (await store.list_due(c.ListDue(about="overdue"))).items
    )


@pytest.mark.parametrize("without_kafka", [{"LOOM_SWEEP_MS": NEVER_MS}], indirect=True, ids=["and without sweeps"])
async def test_with_the_sweeps_off_too_it_hangs(without_kafka: Stack) -> None:
    """Negative control for the rule above: all that is runnable has been done, every parent waits for what is there
    already, the hints of it lie in the outbox, and there is nobody left who would look.
    """
    async with begun(without_kafka) as store:
        while await counts(store) != {"completed": PARENTS * CHILDREN, "parked": PARENTS}:  # noqa: ASYNC110
            await asyncio.sleep(0.2)
        while await forgotten(store) < PARENTS:  # noqa: ASYNC110
            await asyncio.sleep(0.2)
        connection = await asyncpg.connect(without_kafka.owner_url)
        told = await connection.fetchval("SELECT count(*) FROM event_store.outbox WHERE topic LIKE '%child-done%'")
        await connection.close()

        assert await forgotten(store) == (await counts(store))["parked"] == PARENTS

    assert told == PARENTS * CHILDREN
    assert found_by_sweeps(without_kafka) == 0
