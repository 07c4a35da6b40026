"""Faults as they are done: to processes that an orchestrator starts again, to Postgres and to Kafka."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Mapping

from fixtures.replicas import Replica
from fixtures.stack import Stack
from storm.faults import SERVICES, Fault
from storm.quorum import Weather
from storm.waiting import is_set_within


class Troubles:
    """`replicas`: everybody that may be killed and frozen, by name. What was done in full is counted in `weather`."""

    def __init__(self, stack: Stack, replicas: Mapping[str, Replica], weather: Weather, over: asyncio.Event) -> None:
        self._stack = stack
        self._replicas = replicas
        self._weather = weather
        self._over = over
        self._down: set[str] = set()  # killed, and not to be started yet
        self._began = time.monotonic()
        self.fell: list[str] = []

    async def do_all(self, faults: Iterable[Fault]) -> None:
        """One after another, each at its time or as soon as the one before is over; until all is over."""
        for fault in faults:
            if await is_set_within(self._over, fault.at_s - (time.monotonic() - self._began)):
                return
            if await self._do(fault):
                self._weather.count(fault)

    def raise_the_fallen(self) -> None:
        """Who ended by itself is started again, as an orchestrator does, and remembered."""
        for name, replica in self._replicas.items():
            if not replica.runs and name not in self._down:
                self.fell.append(name)
                replica.start()

    async def _do(self, fault: Fault) -> bool:
        """Was it done in full?"""
        match fault.role, fault.act:
            case "postgres", _:
                await asyncio.to_thread(self._stack.restart_postgres)
            case "kafka", _:
                await asyncio.to_thread(self._stack.restart_kafka)
            case _, "freeze":
                return await self._freeze(self._replicas[fault.target], fault.for_s)
            case _:
                await self._kill(self._replicas[fault.target], fault.for_s)
        return True

    async def _freeze(self, replica: Replica, for_s: float) -> bool:
        replica.freeze()
        cut_short = await is_set_within(self._over, for_s)
        replica.thaw()
        return not cut_short

    async def _kill(self, replica: Replica, for_s: float) -> None:
        self._down.add(replica.name)
        await asyncio.to_thread(replica.kill)
        await asyncio.sleep(for_s)
        replica.start()
        self._down.discard(replica.name)
        await self._await_alive(replica)

    async def _await_alive(self, replica: Replica) -> None:
        """Who is killed before it has begun has not been killed at all."""
        while replica.role in SERVICES and not self._over.is_set():
            status, _ = await asyncio.to_thread(replica.ask, "/healthz/live")
            if status == 200:
                return
            await asyncio.sleep(0.1)
