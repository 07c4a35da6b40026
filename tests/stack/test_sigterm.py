"""How the services leave when what they lean on is there and does not answer."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import asyncpg
import pytest

from fixtures.replicas import Replica
from fixtures.stack import Stack, running_stack
from loom.client.event_store import HttpEventStore
from loom.errors import Contended
from loom.ids import ExecutionId, Namespace
from loom.kernel import calls as c

SICK_S = 30.0
NAMESPACE = Namespace("stack")


@contextmanager
def black_hole() -> Iterator[int]:
    """A port that takes connections and never answers."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(256)
        yield int(listening.getsockname()[1])


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    """One of each service, telling its spans to a collector that never answers."""
    with black_hole() as port:
        environ = {"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}", "LOOM_TRACING_RATIO": "1"}
        with running_stack(environ=environ) as running:
            yield running


@pytest.fixture
async def store(stack: Stack) -> AsyncIterator[HttpEventStore]:
    """The event store as every caller reaches it."""
    async with HttpEventStore(stack.url) as client:
        yield client


def leave(stack: Stack, *roles: str) -> dict[str, tuple[int, float]]:
    """All at once, or those of some roles; each with its exit status and how long it took."""

    def stop(replica: Replica) -> tuple[str, tuple[int, float]]:
        began = time.monotonic()
        status = replica.stop(2 * SICK_S)
        return replica.name, (status, time.monotonic() - began)

    with ThreadPoolExecutor(len(stack.replicas)) as pool:
        leaving = [replica for replica in stack.replicas.values() if not roles or replica.role in roles]
        return dict(pool.map(stop, leaving))


def come_back(stack: Stack) -> None:
    """All that left."""
    for replica in stack.replicas.values():
        if not replica.runs:
            replica.start()
    stack.await_ready()


def start(name: str) -> c.Start:
    """An execution; its start puts a hint into the outbox."""
    return c.Start(namespace=NAMESPACE, execution_id=ExecutionId(name), batch_id=name, workflow="w", queue="q")


async def unpublished(stack: Stack) -> int:
    """Rows of the outbox."""
    connection = await asyncpg.connect(stack.owner_url)
    try:
        return int(await connection.fetchval("SELECT count(*) FROM event_store.outbox"))
    finally:
        await connection.close()


async def test_every_service_leaves_within_thirty_seconds_of_a_dead_collector(stack: Stack) -> None:
    """Kafka 3.4, 5.5: the exporter never delays exit by more than its 3 s."""
    left = await asyncio.to_thread(leave, stack)
    await asyncio.to_thread(come_back, stack)

    assert {name: status for name, (status, _) in left.items()} == dict.fromkeys(stack.replicas, 0)
    assert max(took_s for _, took_s in left.values()) < SICK_S


async def test_every_service_leaves_within_thirty_seconds_of_a_frozen_broker_and_no_hint_is_lost(
    stack: Stack, store: HttpEventStore
) -> None:
    """Kafka 3.4: broker and collector dead, the API works on; what could not be published is there afterwards."""
    assert stack.kafka is not None
    stack.kafka.node.freeze()
    try:
        for number in range(20):
            await store.start(start(f"frozen-{number}"))
        ready = stack["event-store-1"].is_ready()
        left = await asyncio.to_thread(leave, stack)
        kept = await unpublished(stack)
    finally:
        stack.kafka.node.thaw()
    await asyncio.to_thread(come_back, stack)
    async with asyncio.timeout(60):
        while await unpublished(stack):  # noqa: ASYNC110 - other processes have no event of ours
            await asyncio.sleep(0.1)

    assert ready
    assert {name: status for name, (status, _) in left.items()} == dict.fromkeys(stack.replicas, 0)
    assert max(took_s for _, took_s in left.values()) < SICK_S
    assert kept == 20


async def test_who_leans_on_the_event_store_leaves_while_that_is_frozen(stack: Stack) -> None:
    """Kafka 3.4: duties that cannot be given up are left to run out; the grace period is kept."""
    stack["event-store-1"].freeze()
    try:
        left = await asyncio.to_thread(leave, stack, "supervisor", "timers", "retention")
    finally:
        stack["event-store-1"].thaw()
    await asyncio.to_thread(come_back, stack)

    assert [status for status, _ in left.values()] == [0, 0, 0]
    assert max(took_s for _, took_s in left.values()) < SICK_S


async def test_what_was_acknowledged_while_it_left_is_there_once(stack: Stack, store: HttpEventStore) -> None:
    """Issue 5: SIGTERM under load loses and repeats nothing acknowledged; whoever asks again gets the first answer."""
    acknowledged: dict[str, c.Started] = {}
    begun = asyncio.Event()

    async def keep_starting(client: int) -> None:
        for number in range(10_000):
            name = f"load-{client}-{number}"
            try:
                acknowledged[name] = await store.start(start(name))
            except Contended:
                return
            if len(acknowledged) == 20:
                begun.set()

    clients = [asyncio.create_task(keep_starting(client)) for client in range(8)]
    await begun.wait()
    status = await asyncio.to_thread(stack["event-store-1"].stop)
    await asyncio.gather(*clients)
    stack["event-store-1"].start()
    await asyncio.to_thread(stack["event-store-1"].await_ready)
    again = {name: await store.start(start(name)) for name in acknowledged}

    assert status == 0
    assert again == acknowledged
