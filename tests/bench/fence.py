"""`make bench-fence`: what fencing costs, on memory, SQLite and Postgres: cycles per second and the median cycle.

A cycle of the first two columns is start, claim, append, complete; of the others start, claim, park and an answer.
*Unfenced* is the same without its guard, which exists here only. All columns are interleaved, so that a noisy machine
hits them alike.
Figures only: no test asserts a time.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import secrets
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parents[1]))

from fixtures.event_stores import migrated_database
from fixtures.postgres import DURABLE, Postgres, running_postgres
from loom.ids import Credential, ExecutionId, ExecutionRef, Incarnation, Namespace, Nonce, Token
from loom.kernel import calls as c
from loom.kernel.decisions import appending, parking, resuming
from loom.kernel.events import NewEvent
from loom.kernel.legality import Writer
from loom.kernel.parks import Timer, TimerWait
from loom.kernel.raw_json import RawJson
from loom.stores.event_store import EventStore
from loom.stores.memory import MemoryEventStore
from loom_event_store.postgres.schema import SCHEMA
from loom_event_store.postgres.store import PostgresEventStore
from loom_event_store.sqlite.store import SqliteEventStore
from loom_servicekit.tables import read_statements

NAMESPACE = Namespace("bench")
CONCURRENT = 64
PAYLOAD = RawJson('{"step":"charge","amount":1999,"note":"' + "x" * 120 + '"}')
WAITS = (TimerWait(id="nap", timer=Timer(delay_ms=0)),)

_CREDENTIAL_GUARD = re.compile(r"\n       AND CASE WHEN p_token IS NULL.*?END", re.DOTALL)
_PARK_GUARD = re.compile(
    r"\n       AND status = 'parked' AND park_seq = p_park_seq( AND token = p_token)? AND NOT unknown_tail"
)


@dataclass
class Column:
    """One way of going, on stores with or without guards."""

    title: str
    cycle: Callable[[EventStore, str], Awaitable[None]]
    fenced: bool = True
    rates: list[float] = field(default_factory=list)
    medians: list[float] = field(default_factory=list)

    @property
    def shown(self) -> str:
        return f"{statistics.median(self.rates):6.0f}/s p50 {statistics.median(self.medians) * 1000:6.2f} ms"


def at(id: str) -> dict[str, Any]:
    """The address of a call."""
    return {"namespace": NAMESPACE, "execution_id": ExecutionId(id)}


async def start(store: EventStore, id: str) -> ExecutionRef:
    """A new execution with a queue."""
    call = c.Start(**at(id), batch_id="start", workflow="w", queue="q")
    return (await store.start(call)).execution


async def claim(store: EventStore, id: str, incarnation: Incarnation, token: Token) -> Credential:
    """Its next owner."""
    nonce = Nonce(secrets.token_urlsafe(24))
    call = c.Claim(**at(id), incarnation=incarnation, token=token, nonce=nonce, owner="bench", ttl_ms=60_000)
    return (await store.claim(call)).credential


async def run_through(store: EventStore, id: str) -> None:
    """Start, claim, append, complete."""
    ref = await start(store, id)
    own = {**at(id), "credential": await claim(store, id, ref.incarnation, Token(0))}
    await store.append(c.Append(**own, batch_id="a", events=(NewEvent(kind="STEP_COMPLETED", payload=PAYLOAD),)))
    await store.append(c.Append(**own, batch_id="c", events=(NewEvent(kind="EXECUTION_COMPLETED", payload=PAYLOAD),)))


async def park(store: EventStore, id: str) -> tuple[Credential, c.Parked]:
    """Start, claim, park."""
    ref = await start(store, id)
    credential = await claim(store, id, ref.incarnation, Token(0))
    return credential, await store.park(c.Park(**at(id), credential=credential, batch_id="p", waits=WAITS))


async def resume(store: EventStore, id: str) -> None:
    """Answered in one transaction."""
    credential, parked = await park(store, id)
    answer = c.Resume(**at(id), incarnation=credential.incarnation, park_seq=parked.park_seq, wait="nap", batch_id="r")
    await store.resume(answer)


async def acquire(store: EventStore, id: str) -> None:
    """Acquired, then answered under the grant."""
    credential, parked = await park(store, id)
    seen = {**at(id), "incarnation": credential.incarnation, "park_seq": parked.park_seq}
    nonce = Nonce(secrets.token_urlsafe(24))
    taken = c.AcquireIfParked(**seen, token=credential.token, nonce=nonce, owner="engine", ttl_ms=60_000)
    grant = (await store.acquire_if_parked(taken)).credential
    await store.resume(c.Resume(**seen, wait="nap", credential=grant, batch_id="r"))


COLUMNS = (
    Column("run, unfenced", run_through, fenced=False),
    Column("run, fenced", run_through),
    Column("park/resume, unfenced", resume, fenced=False),
    Column("acquire, then RESUMED", acquire, fenced=False),
    Column("acquire-if-parked, then RESUMED", acquire),
    Column("resume in one transaction", resume),
)


async def measure(column: Column, store: EventStore, cycles: int) -> None:
    """So many cycles, 64 at once."""
    ids = iter([f"{secrets.token_hex(6)}-{number}" for number in range(cycles)])
    took: list[float] = []

    async def work() -> None:
        for id in ids:
            began = time.perf_counter()
            await column.cycle(store, id)
            took.append(time.perf_counter() - began)

    began = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(CONCURRENT)))
    column.rates.append(cycles / (time.perf_counter() - began))
    column.medians.append(statistics.median(took))


@contextmanager
def without_guards() -> Iterator[None]:
    """The kernel's guards let everybody pass."""

    def passes(*_: Any) -> Writer:
        return Writer.OWNER

    with ExitStack() as stack:
        for module in (appending, parking):
            stack.enter_context(patch.object(module, "judge_writer", passes))
        stack.enter_context(patch.object(resuming, "is_parked_at", lambda *_: True))
        yield


def unguarded(text: str) -> str:
    """A function without the guard of its credential or its park."""
    return _PARK_GUARD.sub("", _CREDENTIAL_GUARD.sub("", text))


@asynccontextmanager
async def on_postgres(server: Postgres, *, fenced: bool) -> AsyncIterator[EventStore]:
    """A store of its own database."""
    async with migrated_database(server) as database:
        functions = "\n".join(read_statements(SCHEMA.package, "functions").values())
        changed = functions if fenced else unguarded(functions)
        assert fenced or changed != functions
        await server.execute(changed, database.name)
        store = await PostgresEventStore.open(database.application, size=16)
        try:
            yield store
        finally:
            await store.close()


async def bench(name: str, fenced: EventStore, unfenced: EventStore, arguments: argparse.Namespace) -> None:
    """All columns of one store, interleaved; one row."""
    columns = [replace(column, rates=[], medians=[]) for column in COLUMNS]
    for _ in range(arguments.rounds):
        for column in columns:
            if column.fenced or name == "postgres":
                await measure(column, fenced if column.fenced else unfenced, arguments.cycles)
            else:
                with without_guards():
                    await measure(column, unfenced, arguments.cycles)
    for column in columns:
        print(f"{name:9} {column.title:32} {column.shown}", flush=True)


async def main(arguments: argparse.Namespace) -> None:
    """Memory, SQLite, Postgres with fsync."""
    await bench("memory", MemoryEventStore(), MemoryEventStore(), arguments)
    with tempfile.TemporaryDirectory() as folder:
        file = SqliteEventStore.open(Path(folder) / "events.db")
        await bench("sqlite", file, file, arguments)
        file.close()
    with running_postgres(DURABLE) as server:
        async with AsyncExitStack() as stack:
            stores = [await stack.enter_async_context(on_postgres(server, fenced=fenced)) for fenced in (True, False)]
            await bench("postgres", *stores, arguments)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--cycles", type=int, default=3_000)
    parser.add_argument("--rounds", type=int, default=5)
    asyncio.run(main(parser.parse_args()))
