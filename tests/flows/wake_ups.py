"""A child's end, its parent's park and perhaps a message, step by step on sessions of Postgres. Whatever is committed
after a step is told to a supervisor there and then, as early as any relay could (H41).
"""

from __future__ import annotations

import heapq
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from event_store.schedules.plays import CHUNK, Played, Server, branches, play, serving, switches_of
from event_store.schedules.scenes import Scene, parent
from fixtures.postgres import Postgres
from flows.cluster import Cluster
from kernel.play import child, event, mail
from loom.clock import ManualClock
from loom.kernel import calls as c
from loom.kernel.hints import Hint
from loom.stores.timer_store import MemoryTimerStore
from loom_event_store.postgres.store import PostgresEventStore

LOCK_TIMEOUT = "50ms"
"""Of the supervisor, which meets a transaction that a schedule keeps open: then it leaves a re-drive row."""


@dataclass(frozen=True, slots=True)
class Settling:
    """A parent parks on its child, which ends meanwhile; with `mail` somebody sends what it waits for as well."""

    mail: bool
    ticks: bool = False
    setting: Any = field(default=parent)

    @property
    def name(self) -> str:
        return "park x child's end" + (" x send" if self.mail else "")

    def calls(self, scene: Scene) -> list[Any]:
        """Worded when the scene begins."""
        waits = (child("k"), mail()) if self.mail else (child("k"),)
        ending = scene.cast["child"].append_call(event("EXECUTION_COMPLETED", 7))
        return [scene.it.park_call(*waits), ending, *([scene.it.send_call()] if self.mail else [])]


@dataclass(slots=True)
class Outcome:
    """What the schedules came to: how many, in how many a step waited, and each whose parent nobody woke."""

    schedules: int = 0
    blocked: int = 0
    asleep: list[str] = field(default_factory=list)


@asynccontextmanager
async def supervised(postgres: Postgres, sessions: int, deaf_to: tuple[type[Hint], ...]) -> AsyncIterator[Wakers]:
    """A database with sessions on it, and a cluster that works on the same database; it never sweeps."""
    async with serving(postgres, sessions=sessions) as server:
        store = await PostgresEventStore.open(f"{server.application}?lock_timeout={LOCK_TIMEOUT}", size=4)
        clock = ManualClock()
        cluster = Cluster(store, MemoryTimerStore(clock), clock)
        cluster.bus.lost = deaf_to
        await cluster.start()
        try:
            yield Wakers(server, cluster)
        finally:
            await cluster.stop()
            await store.close()


@dataclass(slots=True)
class Wakers:
    """Whoever may wake a parent: relay, supervisor and timers, as they are told."""

    server: Server
    cluster: Cluster
    ends: int = 0

    async def settle_all(self, settling: Settling, most: int) -> Outcome:
        """Every schedule, or `most` of them, those with few switches first, until one leaves the parent asleep.

        In each it must be woken, and then get the other answer too.
        """
        outcome = Outcome()
        waiting: list[tuple[int, tuple[int, ...]]] = [(0, ())]
        scenes: list[Scene] = []
        while waiting and outcome.schedules < most and not outcome.asleep:
            scenes = scenes or await self.server.put(settling, CHUNK)  # type: ignore[arg-type]
            scene = scenes.pop()
            await self._tell()
            _, prefix = heapq.heappop(waiting)
            run = await play(self.server, settling, scene, prefix, after=self._tell_what_ended)  # type: ignore[arg-type]
            for branch in branches(run):
                heapq.heappush(waiting, (switches_of(branch, run.enabled), branch))
            outcome.schedules += 1
            outcome.blocked += run.blocked
            await self._judge(settling, run, outcome)
        return outcome

    async def _tell_what_ended(self) -> None:
        """After a step in which a transaction ended, there is something to tell."""
        ends = sum(session.ends for session in self.server.sessions)
        if ends != self.ends:
            self.ends = ends
            await self._tell()

    async def _tell(self) -> None:
        """Everything that is committed, whatever its id: time enough passes for the relay to look at all ids."""
        self.cluster.clock.advance(60_000)
        await self.cluster.deliver()

    async def _judge(self, settling: Settling, run: Played, outcome: Outcome) -> None:
        """Is the parent woken, once, by what came first; and by its child when it has taken the message?"""
        refused = [answer for answer in run.answers if isinstance(answer, BaseException)]
        assert not refused, f"{settling.name}, {run.name}: {refused}"
        said = await self._wait_for_wake_up(run.scene)
        if said is None and settling.mail and "CHILD_OUTCOME" not in await self._kinds(run.scene):
            await self._park_on_child(run.scene)
            said = await self._wait_for_wake_up(run.scene)
        if said is not None:
            outcome.asleep.append(f"{run.name}: {said}")

    async def _wait_for_wake_up(self, scene: Scene) -> str | None:
        """None once it is runnable by exactly one answer per park; nothing else is left to happen then."""
        await self._tell()
        await self.cluster.fire()
        kinds = await self._kinds(scene)
        head = await self.cluster.store.read_head(c.ReadHead(**scene.it.at))
        answered = kinds.count("EXECUTION_RESUMED") == kinds.count("EXECUTION_SUSPENDED")
        return None if head.shown == "runnable" and answered else f"{head.shown} after {kinds}"

    async def _park_on_child(self, scene: Scene) -> None:
        """Who was woken by the message waits for the child that has ended meanwhile."""
        head = await self.cluster.store.read_head(c.ReadHead(**scene.it.at))
        claim = scene.it.claim_call(token=head.token)
        claimed = await self.cluster.store.claim(claim)
        call = scene.it.park_call(child("k"), credential=claimed.credential)
        await self.cluster.store.park(call)

    async def _kinds(self, scene: Scene) -> list[str]:
        log = await self.cluster.store.read_events(c.ReadEvents(**scene.it.at))
        return [event.kind for event in log.events]
