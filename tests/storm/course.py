"""One storm: everything runs, everything is killed and frozen, then all is calm and somebody counts."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path
from random import Random

from fixtures.replicas import Replica
from fixtures.stack import Stack, running_stack
from fixtures.sweeping import found_by_sweeps
from loom_servicekit.postgres import FAULTS
from storm.checker import check
from storm.faults import REPLICAS, faults_of
from storm.findings import Findings
from storm.forms import Form
from storm.gauges import Gauges
from storm.history import read_histories
from storm.load import Load
from storm.mutants import without_guard
from storm.quorum import Weather, list_missing
from storm.replicas import WorkerReplica
from storm.troubles import Troubles

KAFKA_SESSION_MS = "6000"
TELL_EVERY_S = 30
READY_S = 10.0
"""How long a service may take to be ready when all is calm."""


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


class Storm:
    """The course of one storm over a stack that is ready."""

    def __init__(self, stack: Stack, form: Form, seed: int, say: Callable[[str], None]) -> None:
        self._stack = stack
        self._form = form
        self._seed = seed
        self._say = say
        self._histories = stack.folder / "histories"
        self._histories.mkdir()
        self._over = asyncio.Event()
        self._weather = Weather()
        self._gauges = Gauges(stack)
        self._load = Load(stack.url, self._gauges, self._histories / "client.jsonl", Random(f"{seed} load"))
        self._workers = {f"worker-{number}": self._worker(f"worker-{number}") for number in range(1, REPLICAS + 1)}
        everybody: dict[str, Replica] = {**stack.replicas, **self._workers}
        self._troubles = Troubles(stack, everybody, self._weather, self._over)
        self._began = time.monotonic()

    def _worker(self, name: str) -> WorkerReplica:
        log = self._stack.folder / f"{name}.log"
        own = {"histories": self._histories, "store_url": self._stack.url, "lease_ms": self._form.lease_ms}
        return WorkerReplica(name, "worker", 0, log, {}, **own)  # type: ignore[arg-type]

    async def run(self) -> Findings:
        """Everything that happens, and what is left of it."""
        for worker in self._workers.values():
            worker.start()
        try:
            await self._blow()
            missing = tuple(list_missing(self._form.quorum, self._weather))
            self._say(f"{self._age():5.0f} s  all faults are over: {self._load.started} parents started")
            await self._calm_down()
        finally:
            for worker in self._workers.values():
                await asyncio.to_thread(worker.kill)
        return await self._collect(missing)

    def _age(self) -> float:
        return time.monotonic() - self._began

    async def _blow(self) -> None:
        every_s = 0.8 * self._form.length_s / self._form.quorum.parents
        async with asyncio.TaskGroup() as tasks:
            for lane in self._form.lanes:
                tasks.create_task(self._troubles.do_all(faults_of(self._seed, lane, self._form.length_s)))
            tasks.create_task(self._load.run(every_s, self._over))
            await self._watch()
            self._over.set()

    async def _watch(self) -> None:
        """Until it has been stormy enough, or long enough."""
        told_s = 0.0
        while self._age() < self._form.limit_s:
            await asyncio.sleep(1)
            await self._look_around()
            missing = "; ".join(list_missing(self._form.quorum, self._weather))
            if self._age() - told_s > TELL_EVERY_S:
                told_s = self._age()
                seen = f"{self._weather}, {self._gauges.unfinished} unfinished"
                self._say(f"{told_s:5.0f} s  {seen}; missing: {missing or 'nothing'}")
            if not missing and self._age() >= self._form.length_s:
                return

    async def _look_around(self) -> None:
        """Read the gauges, start whoever fell, open what is blocked; during an outage nothing is seen."""
        self._troubles.raise_the_fallen()
        with suppress(*FAULTS):
            await self._gauges.look()
            await self._load.operate()
        self._weather.started = self._load.started
        self._weather.take_overs = self._gauges.take_overs
        self._weather.refusals = sum((self._gauges.refusals or {}).values())

    async def _calm_down(self) -> None:
        """Everybody runs; until every parent has ended, or for as long as the form says."""
        until = self._age() + self._form.calm_s
        self._gauges.unfinished = self._load.started
        while self._gauges.unfinished and self._age() < until:
            await asyncio.sleep(0.5)
            await self._look_around()

    async def _collect(self, missing: tuple[str, ...]) -> Findings:
        seconds = self._age()
        operations = read_histories(self._histories.glob("*.jsonl"))
        tables = await self._gauges.read_tables()
        return Findings(
            form=self._form,
            seed=self._seed,
            seconds=seconds,
            weather=self._weather,
            missing=missing,
            refusals=self._gauges.refusals or {},
            swept=found_by_sweeps(self._stack),
            reopened=self._load.reopened,
            fell=tuple(self._troubles.fell),
            unready=tuple([said async for said in self._list_unready()]),
            operations=operations,
            tables=tables,
            violations=await asyncio.to_thread(check, operations, tables),
        )

    async def _list_unready(self) -> AsyncIterator[str]:
        """Which services are not ready now that all is calm, and why."""
        until = self._age() + READY_S
        for replica in self._stack.replicas.values():
            status, said = await asyncio.to_thread(replica.ask, "/healthz/ready")
            while status != 200 and self._age() < until:
                await asyncio.sleep(0.2)
                status, said = await asyncio.to_thread(replica.ask, "/healthz/ready")
            if status != 200:
                yield f"{replica.name}: {status} {said}"
