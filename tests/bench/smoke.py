"""`make bench-smoke`: appends, claims and resumes per second, on memory and SQLite, in process and over HTTP.

Figures only: no test asserts a time. Variants are interleaved, so that a noisy machine hits all of them alike.
"""

from __future__ import annotations

import asyncio
import secrets
import statistics
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TypeVar

from loom.client.event_store import HttpEventStore
from loom.ids import Credential, ExecutionId, Namespace, Nonce
from loom.kernel import calls as c
from loom.kernel.events import NewEvent
from loom.kernel.limits import Limits
from loom.kernel.parks import Timer, TimerWait
from loom.kernel.raw_json import RawJson
from loom.stores.event_store import EventStore
from loom.stores.memory import MemoryEventStore
from loom_event_store.app import build_service
from loom_event_store.settings import EventStoreSettings
from loom_event_store.sqlite.store import SqliteEventStore
from loom_servicekit.app import create_app, server
from loom_servicekit.bus.in_process import InProcessBus

EXECUTIONS = 16  # in flight at once
APPENDS = 20  # per execution
ROUNDS = 3
NAMESPACE = Namespace("bench")
PAYLOAD = RawJson('{"step":"charge","amount":1999,"currency":"EUR","note":"' + "x" * 120 + '"}')

Figures = dict[str, float]
T = TypeVar("T")


async def measure(store: EventStore) -> Figures:
    """One round on fresh executions: rates per second of claims, appends and resumes."""
    queue = secrets.token_hex(4)
    ids = [ExecutionId(f"{queue}-{number}") for number in range(EXECUTIONS)]
    await asyncio.gather(*(_start(store, queue, id) for id in ids))
    claims, credentials = await _timed(lambda: asyncio.gather(*(_claim(store, queue) for _ in ids)))
    appends, _ = await _timed(lambda: asyncio.gather(*(_append(store, credential) for credential in credentials)))
    parks = await asyncio.gather(*(_park(store, credential) for credential in credentials))
    resumes, _ = await _timed(
        lambda: asyncio.gather(*(_resume(store, one, park) for one, park in zip(credentials, parks, strict=True)))
    )
    return {"appends": EXECUTIONS * APPENDS / appends, "claims": EXECUTIONS / claims, "resumes": EXECUTIONS / resumes}


async def _timed(act: Callable[[], Awaitable[T]]) -> tuple[float, T]:
    began = time.perf_counter()
    result = await act()
    return time.perf_counter() - began, result


async def _start(store: EventStore, queue: str, id: ExecutionId) -> None:
    call = c.Start(namespace=NAMESPACE, execution_id=id, batch_id=f"start-{id}", workflow="w", queue=queue)
    await store.start(call)


async def _claim(store: EventStore, queue: str) -> Credential:
    nonce = Nonce(secrets.token_urlsafe(24))
    call = c.ClaimRunnable(
        namespace=NAMESPACE, queue=queue, workflows=("w@0",), max=1, nonce=nonce, owner="bench", ttl_ms=60_000
    )
    return (await store.claim_runnable(call)).items[0].credential


async def _append(store: EventStore, credential: Credential) -> None:
    for number in range(APPENDS):
        call = c.Append(
            namespace=NAMESPACE,
            execution_id=credential.execution_id,
            credential=credential,
            batch_id=f"append-{number}",
            events=(NewEvent(kind="STEP_COMPLETED", payload=PAYLOAD),),
        )
        await store.append(call)


async def _park(store: EventStore, credential: Credential) -> c.Parked:
    waits = (TimerWait(id="nap", timer=Timer(delay_ms=0)),)
    call = c.Park(
        namespace=NAMESPACE,
        execution_id=credential.execution_id,
        credential=credential,
        batch_id="park",
        waits=waits,
    )
    return await store.park(call)


async def _resume(store: EventStore, credential: Credential, park: c.Parked) -> None:
    call = c.Resume(
        namespace=NAMESPACE,
        execution_id=credential.execution_id,
        incarnation=credential.incarnation,
        park_seq=park.park_seq,
        wait="nap",
    )
    await store.resume(call)


@contextmanager
def served(store: EventStore) -> Iterator[EventStore]:
    """The store behind a real server on loopback, in a thread of its own."""
    service = build_service(EventStoreSettings(limits=Limits()), store=store, bus=InProcessBus())
    serving = server(create_app([service]), host="127.0.0.1", port=0)
    thread = threading.Thread(target=lambda: asyncio.run(serving.serve()), daemon=True)
    thread.start()
    while not serving.started:
        time.sleep(0.01)
    port = serving.servers[0].sockets[0].getsockname()[1]
    try:
        yield HttpEventStore(f"http://127.0.0.1:{port}")
    finally:
        serving.should_exit = True
        thread.join(timeout=10)


async def _rounds(variants: dict[str, EventStore]) -> dict[str, list[Figures]]:
    found: dict[str, list[Figures]] = {name: [] for name in variants}
    for _ in range(ROUNDS):
        for name, store in variants.items():
            found[name].append(await measure(store))
    return found


def show(found: dict[str, list[Figures]]) -> None:
    """Medians and spreads, and the ratio to memory in process, which is the baseline."""
    baseline = found["memory, in process"]
    print(f"{'variant':22}{'rate':10}{'median/s':>10}{'min':>10}{'max':>10}{'of memory':>11}")
    for name, rounds in found.items():
        for rate in ("appends", "claims", "resumes"):
            figures = [figures[rate] for figures in rounds]
            ratio = statistics.median(figures) / statistics.median(figures_[rate] for figures_ in baseline)
            median, least, most = statistics.median(figures), min(figures), max(figures)
            print(f"{name:22}{rate:10}{median:>10.0f}{least:>10.0f}{most:>10.0f}{ratio:>11.3f}")


def main() -> None:
    """Open the four variants, measure, print."""
    with tempfile.TemporaryDirectory(prefix="loom-bench-") as folder, ExitStack() as stack:
        files = [stack.enter_context(_sqlite(Path(folder) / name)) for name in ("local.db", "served.db")]
        variants = {
            "memory, in process": MemoryEventStore(),
            "memory, over HTTP": stack.enter_context(served(MemoryEventStore())),
            "SQLite, in process": files[0],
            "SQLite, over HTTP": stack.enter_context(served(files[1])),
        }
        show(asyncio.run(_rounds(variants)))


@contextmanager
def _sqlite(path: Path) -> Iterator[SqliteEventStore]:
    store = SqliteEventStore.open(path)
    try:
        yield store
    finally:
        store.close()


if __name__ == "__main__":
    main()
