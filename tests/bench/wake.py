"""`make bench-wake`: from a child's end to its parent's body running again, over Kafka and over the bus in the process.

Both buses serve the same services over a database each of one durable Postgres, REST on loopback, one worker of the
SDK. A parent parks on its child; the child is told to go on and returns; its worker appends that, the relay publishes,
the supervisor resumes the parent, a worker claims it and replays its log. The figures are what one pair at a time
takes, from the child's last line to the parent's next one; the buses take turns, so that noise hits both alike.
Figures only: no test asserts a time.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import Future
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1]))

import loom
from fixtures.event_stores import migrated_database
from fixtures.kafka import fresh_prefix, running_kafka
from fixtures.postgres import DURABLE, running_postgres
from loom.client.event_store import HttpEventStore
from loom.clock import SystemClock
from loom.ids import ExecutionId, Namespace
from loom.kernel import calls as c
from loom.stores.timer_store import MemoryTimerStore
from loom_event_store.app import build_service as build_event_store
from loom_event_store.postgres.store import PostgresEventStore
from loom_event_store.settings import EventStoreSettings
from loom_servicekit.app import Server, create_app, server
from loom_servicekit.bus.opening import open_bus
from loom_servicekit.bus.settings import KafkaSettings
from loom_supervisor.app import build_service as build_supervisor
from loom_supervisor.settings import SupervisorSettings

NAMESPACE = Namespace("default")
LOOK_S = 0.005

ended: dict[str, float] = {}
woken: dict[str, float] = {}


@loom.workflow
async def child(ctx: loom.Context, pair: str) -> None:
    """Returns when it is told to."""
    await ctx.wait_event("go")
    ended.setdefault(pair, time.perf_counter())


@loom.workflow
async def parent(ctx: loom.Context, pair: str) -> None:
    """Its next line after the child's end is what is waited for."""
    await ctx.run_child(child, pair)
    woken.setdefault(pair, time.perf_counter())


async def measure(client: loom.Client, store: HttpEventStore, pair: str) -> float:
    """Seconds, of a pair that was at rest."""
    await client.start(parent, pair, id=pair)
    members = await until_parked(store, pair)
    await client.send(members, "go", id=f"go-{pair}")
    await client.result(pair)
    return woken[pair] - ended[pair]


async def until_parked(store: HttpEventStore, pair: str) -> ExecutionId:
    """Parent and child both wait; the child's id."""
    while True:
        with suppress(loom.errors.NotFound):
            park = await store.read_park(c.ReadPark(namespace=NAMESPACE, execution_id=ExecutionId(pair)))
            for edge in park.edges if park.park_seq is not None else ():
                at = c.ReadPark(namespace=NAMESPACE, execution_id=edge.child.execution_id)
                if (await store.read_park(at)).park_seq is not None:
                    return edge.child.execution_id
        await asyncio.sleep(LOOK_S)


@contextmanager
def services(kafka: KafkaSettings, url: str) -> Iterator[str]:
    """Event store and supervisor on a loop of their own, in a thread; their address."""
    serving: Future[Server] = Future()
    thread = threading.Thread(target=lambda: asyncio.run(serve(kafka, url, serving)), daemon=True)
    thread.start()
    running = serving.result(60)
    while not running.started and thread.is_alive():
        time.sleep(LOOK_S)
    try:
        yield f"http://127.0.0.1:{running.servers[0].sockets[0].getsockname()[1]}"
    finally:
        running.should_exit = True
        thread.join(30)


async def serve(kafka: KafkaSettings, url: str, serving: Future[Server]) -> None:
    """As the processes wire them, in one."""
    try:
        async with open_bus(kafka, service="event-store") as (bus, checks):
            store = await PostgresEventStore.open(url, size=8)
            timers = MemoryTimerStore(SystemClock())
            supervisor = build_supervisor(
                SupervisorSettings(), store=store, timers=timers, bus=bus, owner="bench", rng=Random(7)
            )
            event_store = build_event_store(EventStoreSettings(), store=store, bus=bus)
            running = server(create_app([*checks, supervisor, event_store]), host="127.0.0.1", port=0)
            serving.set_result(running)
            await running.serve()
            await store.close()
    except BaseException as error:
        if not serving.done():
            serving.set_exception(error)
        raise


@asynccontextmanager
async def working(url: str) -> AsyncIterator[tuple[loom.Client, HttpEventStore]]:
    """A worker, and those who speak to its store."""
    store = HttpEventStore(url)
    worker = loom.Worker(url, [parent, child])
    run = asyncio.create_task(worker.run())
    try:
        yield loom.Client(store), store
    finally:
        worker.stop()
        await run
        await store.close()


async def bench(urls: dict[str, str], arguments: argparse.Namespace) -> dict[str, list[float]]:
    """Both by turns; the first pairs of each only warm up."""
    took: dict[str, list[float]] = {name: [] for name in urls}
    async with AsyncExitStack() as stack:
        working_on = {name: await stack.enter_async_context(working(url)) for name, url in urls.items()}
        for number in range(-arguments.warm, arguments.pairs):
            for bus, (name, (client, store)) in enumerate(working_on.items()):
                seconds = await measure(client, store, f"bus-{bus}-pair-{number + arguments.warm}")
                if number >= 0:
                    took[name].append(seconds)
    return took


def show(took: dict[str, list[float]]) -> None:
    """Milliseconds."""
    print(f"{'child settled -> parent runs':32}{'pairs':>7}{'p50 ms':>9}{'p90 ms':>9}{'p99 ms':>9}{'max ms':>9}")
    for name, seconds in took.items():
        cuts = statistics.quantiles(seconds, n=100, method="inclusive")
        figures = "".join(f"{cut * 1000:9.1f}" for cut in (cuts[49], cuts[89], cuts[98], max(seconds)))
        print(f"{name:32}{len(seconds):7}{figures}")


async def main(arguments: argparse.Namespace) -> None:
    """Servers, then both buses side by side."""
    with running_postgres(DURABLE) as postgres, running_kafka() as kafka:
        prefix = fresh_prefix()
        await kafka.create_topics(prefix)
        buses = {
            "in-process bus": KafkaSettings(),
            "Kafka, one broker": KafkaSettings(bootstrap=tuple(kafka.bootstrap.split(",")), topic_prefix=prefix),
        }
        async with AsyncExitStack() as stack:
            urls = {}
            for name, settings in buses.items():
                database = await stack.enter_async_context(migrated_database(postgres))
                urls[name] = stack.enter_context(services(settings, database.application))
            took = await bench(urls, arguments)
        await kafka.delete_topics(prefix)
    show(took)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=300)
    parser.add_argument("--warm", type=int, default=30)
    asyncio.run(main(parser.parse_args()))
