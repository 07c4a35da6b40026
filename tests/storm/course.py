"""One storm: everything runs, everything is killed and frozen, then all is calm and somebody counts."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any

import asyncpg

import loom
from event_store.schedules.tables import read_tables
from fixtures.replicas import Replica
from fixtures.stack import Stack, running_stack
from fixtures.sweeping import found_by_sweeps
from loom.client.event_store import HttpEventStore
from loom.errors import Contended, LoomError
from loom.ids import ExecutionId, Incarnation, Namespace, Sequence
from loom.kernel import calls as c
from storm.checker import check
from storm.faults import REPLICAS, SERVICES, Fault, Lane, faults_of
from storm.findings import Findings
from storm.forms import Form
from storm.history import Record, RecordingStore, read_histories
from storm.mutants import without_guard
from storm.quorum import Weather, list_missing
from storm.replicas import WorkerReplica
from storm.workflows import GO, parent

NAMESPACE = "default"
IN_FLIGHT_MAX = 40
"""Parents that have not ended: more would only wait for each other on a small machine."""
KAFKA_SESSION_MS = "6000"

_TAKE_OVERS = """
SELECT count(*) FROM event_store.grants AS before JOIN event_store.grants AS after
    ON after.head = before.head AND after.token = before.token + 1
 WHERE before.rule = 'claim' AND after.rule = 'claim'
"""
_REFUSALS = "SELECT coalesce(sum(count), 0)::bigint FROM event_store.refusals WHERE code = 'stale'"
_BY_SURFACE = """
SELECT surface, sum(count)::bigint AS times FROM event_store.refusals WHERE code = 'stale' GROUP BY surface ORDER BY 1
"""
_BLOCKED = """
SELECT namespace, execution_id, incarnation, park_seq FROM event_store.heads
 WHERE status = 'parked' AND waits @? '$[*] ? (exists(@.operator))'
"""
_UNFINISHED = """
SELECT count(*) FROM event_store.heads
 WHERE workflow = 'storm.parent' AND status IN ('pending', 'running', 'parked')
"""


class Storm:
    """The course of one storm over a stack that is ready."""

    def __init__(self, stack: Stack, form: Form, seed: int, say: Callable[[str], None]) -> None:
        self._stack = stack
        self._form = form
        self._seed = seed
        self._say = say
        self._over = asyncio.Event()
        self._weather = Weather()
        self._histories = stack.folder / "histories"
        self._histories.mkdir()
        self._random = Random(f"{seed} load")
        self._reopened = 0
        self._afflicted: set[str] = set()  # killed, and not to be started yet
        self._fell: list[str] = []
        self._unfinished = 0
        self._workers = {
            f"worker-{number}": WorkerReplica(
                f"worker-{number}",
                "worker",
                0,
                stack.folder / f"worker-{number}.log",
                {},
                histories=self._histories,
                store_url=stack.url,
            )
            for number in range(1, REPLICAS + 1)
        }

    async def run(self) -> Findings:
        """Everything that happens, and what is left of it."""
        self._began = time.monotonic()
        for worker in self._workers.values():
            worker.start()
        try:
            await self._blow()
            missing = tuple(list_missing(self._form.quorum, self._weather))
            self._say(f"{self._age():5.0f} s  all faults are over: {self._weather.started} parents started")
            await self._calm_down()
            return await self._collect(missing)
        finally:
            for worker in self._workers.values():
                if worker.runs:
                    await asyncio.to_thread(worker.kill)

    def _age(self) -> float:
        return time.monotonic() - self._began

    # --- the storm ---

    async def _blow(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            for lane in self._form.lanes:
                tasks.create_task(self._trouble(lane))
            load = tasks.create_task(self._load())
            await self._watch()
            self._over.set()
            await load

    async def _watch(self) -> None:
        """Until it has been stormy enough, or long enough."""
        told = 0.0
        while self._age() < self._form.limit_s:
            await asyncio.sleep(1)
            self._raise_the_fallen()
            with suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError, TimeoutError):
                await self._look()
                await self._operate()
            missing = [*list_missing(self._form.quorum, self._weather)]
            if self._age() - told > 30:
                told = self._age()
                self._say(f"{told:5.0f} s  {self._told()}; missing: {'; '.join(missing) or 'nothing'}")
            if not missing and self._age() >= self._form.length_s:
                return

    def _told(self) -> str:
        weather = self._weather
        return (
            f"{self._weather.started} parents, {self._unfinished} unfinished; take-overs {weather.take_overs}, "
            f"refused {weather.refusals}"
        )

    async def _look(self) -> None:
        async with self._owner() as connection:
            self._weather.take_overs = await connection.fetchval(_TAKE_OVERS)
            self._weather.refusals = await connection.fetchval(_REFUSALS)
            self._unfinished = await connection.fetchval(_UNFINISHED)

    @asynccontextmanager
    async def _owner(self) -> Any:
        connection = await asyncpg.connect(self._stack.owner_url, timeout=5, command_timeout=10)
        try:
            yield connection
        finally:
            connection.terminate()

    async def _trouble(self, lane: Lane) -> None:
        for fault in faults_of(self._seed, lane, self._form.length_s):
            if await self._is_over_within(fault.at_s - self._age()):
                return
            if await self._do(fault):
                self._weather.count(fault)

    async def _is_over_within(self, seconds: float) -> bool:
        with suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, seconds)):
                await self._over.wait()
        return self._over.is_set()

    async def _do(self, fault: Fault) -> bool:
        """Was it done in full?"""
        match fault.role:
            case "postgres":
                await asyncio.to_thread(self._stack.restart_postgres)
            case "kafka":
                await asyncio.to_thread(self._stack.restart_kafka)
            case _:
                return await self._afflict(self._replica(fault.target), fault)
        return True

    def _replica(self, name: str) -> Replica:
        return self._workers.get(name) or self._stack[name]

    async def _afflict(self, replica: Replica, fault: Fault) -> bool:
        if fault.act == "freeze":
            replica.freeze()
            cut_short = await self._is_over_within(fault.for_s)
            replica.thaw()
            return not cut_short
        self._afflicted.add(replica.name)
        await asyncio.to_thread(replica.kill)
        await asyncio.sleep(fault.for_s)
        replica.start()
        self._afflicted.discard(replica.name)
        await self._await_alive(replica)
        return True

    async def _await_alive(self, replica: Replica) -> None:
        """Who was killed before it had begun would not have been killed at all."""
        while replica.role in SERVICES and not self._over.is_set():
            if (await asyncio.to_thread(replica.ask, "/healthz/live"))[0] == 200:
                return
            await asyncio.sleep(0.1)

    def _raise_the_fallen(self) -> None:
        """Who ended by itself is started again, as an orchestrator does, and counted."""
        for replica in (*self._workers.values(), *self._stack.replicas.values()):
            if not replica.runs and replica.name not in self._afflicted:
                self._fell.append(replica.name)
                replica.start()

    # --- the load ---

    async def _load(self) -> None:
        """Parents one after another while it storms; each is sent a message, early or late."""
        record = Record(self._histories / "client.jsonl")
        pause_s = 0.8 * self._form.length_s / self._form.quorum.parents
        async with HttpEventStore(self._stack.url) as store, asyncio.TaskGroup() as messages:
            client = loom.Client(RecordingStore(store, record))  # type: ignore[arg-type]
            while not self._over.is_set():
                if self._unfinished < IN_FLIGHT_MAX:
                    id = f"parent-{self._weather.started:04}"
                    await self._start(client, id)
                    self._weather.started += 1
                    messages.create_task(self._send_later(client, id, self._random.uniform(0, 8)))
                await self._is_over_within(pause_s)
        record.close()

    async def _operate(self) -> None:
        """What is blocked is opened again: somebody has looked, and it was the weather."""
        async with self._owner() as connection:
            blocked = await connection.fetch(_BLOCKED)
        if not blocked:
            return
        async with HttpEventStore(self._stack.url) as store:
            for row in blocked:
                with suppress(LoomError):
                    await store.resume(
                        c.Resume(
                            namespace=Namespace(row["namespace"]),
                            execution_id=ExecutionId(row["execution_id"]),
                            incarnation=Incarnation(row["incarnation"]),
                            park_seq=Sequence(row["park_seq"]),
                        )
                    )
                    self._reopened += 1

    async def _start(self, client: loom.Client, id: str) -> None:
        while True:
            try:
                await client.start(parent, id, id=id, idempotency_key=f"start {id}")
            except Contended:
                await asyncio.sleep(0.2)
            else:
                return

    async def _send_later(self, client: loom.Client, id: str, after_s: float) -> None:
        await asyncio.sleep(after_s)
        while True:
            try:
                await client.send(id, GO, {"to": id}, id=f"{id}-{GO}")
            except Contended:
                await asyncio.sleep(0.2)
            else:
                return

    # --- afterwards ---

    async def _calm_down(self) -> None:
        """Everybody runs; until every parent has ended, or for as long as the form says."""
        until = time.monotonic() + self._form.calm_s
        while time.monotonic() < until:
            await self._look()
            if not self._unfinished:
                return
            await self._operate()
            self._raise_the_fallen()
            await asyncio.sleep(0.5)

    async def _collect(self, missing: tuple[str, ...]) -> Findings:
        seconds = self._age()
        for worker in self._workers.values():
            await asyncio.to_thread(worker.kill)
        operations = read_histories(self._files())
        async with self._owner() as connection:
            tables = (await read_tables(connection, [NAMESPACE]))[NAMESPACE]
            refusals = {row["surface"]: row["times"] for row in await connection.fetch(_BY_SURFACE)}
        return Findings(
            form=self._form,
            seed=self._seed,
            seconds=seconds,
            weather=self._weather,
            missing=missing,
            refusals=refusals,
            swept=found_by_sweeps(self._stack),
            reopened=self._reopened,
            fell=tuple(self._fell),
            unready=tuple([said async for said in self._unready()]),
            operations=operations,
            tables=tables,
            violations=await asyncio.to_thread(check, operations, tables),
        )

    async def _unready(self) -> AsyncIterator[str]:
        """Which services are not ready now that all is calm, and why; each has a little while."""
        for replica in self._stack.replicas.values():
            status, said = 0, ""
            for _ in range(50):
                status, said = await asyncio.to_thread(replica.ask, "/healthz/ready")
                if status == 200:
                    break
                await asyncio.sleep(0.2)
            else:
                yield f"{replica.name}: {status} {said}"

    def _files(self) -> Iterator[Path]:
        return self._histories.glob("*.jsonl")


def storm(form: Form, seed: int, *, broken: bool = False, say: Callable[[str], None]) -> Findings:
    """One storm over a stack of its own, whose folder stays if anything is amiss. `broken`: a store without a guard."""
    folder = Path(tempfile.mkdtemp(prefix="loom-storm-"))
    environ = {"LOOM_KAFKA_SESSION_MS": KAFKA_SESSION_MS}
    with running_stack(replicas=REPLICAS, environ=environ, folder=folder) as stack:
        findings = asyncio.run(_storm(stack, form, seed, broken, say))
    if findings.holds or broken:
        shutil.rmtree(folder)
    else:
        say(f"logs and histories are kept in {folder}")
    return findings


async def _storm(stack: Stack, form: Form, seed: int, broken: bool, say: Callable[[str], None]) -> Findings:
    if broken:
        await stack.postgres.execute(without_guard(), stack.database)
    return await Storm(stack, form, seed, say).run()
