"""Every schedule of some calls that meet: enumerated, played on the server, judged by the oracle and the invariants."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from math import comb
from typing import Any

import asyncpg

from event_store.schedules.invariants import why_broken
from event_store.schedules.marks import FUNCTIONS, MARK, instrumented
from event_store.schedules.offers import calls_of_port, type_of
from event_store.schedules.oracle import ALIKE, Allowed, Meeting, allowed
from event_store.schedules.scenes import LIMITS, NOW, Scene, made
from event_store.schedules.sessions import Conductor, Session, SessionStore, Twist
from event_store.schedules.tables import Tables, canonical, from_memory, read_tables, writes_of
from fixtures.event_stores import migrated_database
from fixtures.postgres import Postgres
from loom.errors import LoomError
from loom_event_store.postgres.statements import QUERIES
from loom_event_store.postgres.writes import worded

MERGES = 500
"""More merges than this are bounded."""
SWITCHES = 3
"""How often a bounded schedule takes each session up."""
CHUNK = 16
"""Scenes that are put into the database at once."""
OLDEST = -(10**12)
"""Scenes' heads are older than any that a call makes."""

METHODS = {type_of(call.name): call.name for call in calls_of_port()}

CLOCK = f"""
CREATE OR REPLACE FUNCTION event_store.instant() RETURNS bigint LANGUAGE sql VOLATILE AS $$ SELECT {NOW}::bigint $$;
"""


@dataclass(slots=True)
class Found:
    """What the schedules of one meeting came to."""

    meeting: Meeting
    schedules: int = 0
    blocked: int = 0
    bounded: bool = False
    outcomes: Counter[str] = field(default_factory=Counter)
    orders: int = 0
    violations: list[str] = field(default_factory=list)


class Server:
    """A migrated database with instrumented functions, sessions on it, and one connection that watches them."""

    def __init__(self, watcher: Any, sessions: list[Session], watching: Any, twist: Twist) -> None:
        self.owner = watcher
        self.sessions = sessions
        self.conductor = watching
        self.twist = twist
        self._numbers = count(1)

    @property
    def _number(self) -> int:
        return next(self._numbers)

    async def put(self, meeting: Meeting, how_many: int) -> list[Scene]:
        """So many scenes of a meeting, in the database."""
        scenes = []
        writes = []
        for _ in range(how_many):
            number = next(self._numbers)
            scene = made(meeting.setting, f"loom_{number:07}")
            scenes.append(scene)
            writes += writes_of(from_memory(scene.store.rows), OLDEST + number * 1_000)
        await self.owner.execute(QUERIES["apply_change"], worded(writes, NOW), NOW)  # type: ignore[arg-type]
        return scenes


@asynccontextmanager
async def serving(
    server: Postgres, *, sessions: int = 2, twist: Twist | None = None, mutate: Callable[[str], str] | None = None
) -> AsyncIterator[Server]:
    """A database to play on. `mutate` changes the text of the functions first."""
    async with migrated_database(server) as database:
        owner = await asyncpg.connect(database.owner)
        await owner.execute(f'ALTER DATABASE "{database.name}" SET deadlock_timeout = \'10ms\'')
        watcher = await asyncpg.connect(database.owner)
        opened: list[Session] = []
        try:
            await owner.execute(MARK)
            for text in FUNCTIONS.values():
                await owner.execute(instrumented(mutate(text) if mutate else text))
            await owner.execute(CLOCK)
            given = twist or Twist()
            if given.isolation != "read_committed":
                await owner.execute(_ANY_ISOLATION)
            for _ in range(sessions):
                opened.append(await Session.open(database.application, watcher, given.isolation))
            yield Server(owner, opened, Conductor(watcher, opened), given)
        finally:
            for session in opened:
                await session.close()
            await watcher.close()
            await owner.close()


_ANY_ISOLATION = """
CREATE OR REPLACE FUNCTION event_store.check_isolation() RETURNS void LANGUAGE plpgsql AS $$ BEGIN END $$;
"""


@dataclass(slots=True)
class Played:
    """One schedule that was run."""

    scene: Scene
    choices: tuple[int, ...]
    enabled: list[list[int]]
    answers: list[Any]
    blocked: int
    deadlocks: int
    steps: list[str]

    @property
    def name(self) -> str:
        return "".join(chr(65 + number) for number in self.choices)


async def play(server: Server, meeting: Meeting, scene: Scene, prefix: tuple[int, ...]) -> Played:
    """The schedule that begins like this; further on each session goes as far as it can."""
    calls = meeting.calls(scene)
    await server.conductor.begin([_on(server, number, scene, call) for number, call in enumerate(calls)])
    choices: list[int] = []
    enabled: list[list[int]] = []
    steps: list[str] = []
    blocked = 0
    while ready := server.conductor.enabled():
        turn = prefix[len(choices)] if len(choices) < len(prefix) else _next(choices, ready)
        assert turn in ready, f"{meeting.name}: a schedule that began like this went another way: {steps}"
        steps.append(f"{chr(65 + turn)}:{server.sessions[turn].at}")
        enabled.append(ready)
        choices.append(turn)
        waiting = server.conductor.waiting()
        await server.conductor.step(turn)
        blocked += bool(server.conductor.waiting() - waiting)
    answers = [server.sessions[number].answer for number in range(len(calls))]
    return Played(scene, tuple(choices), enabled, answers, blocked, server.conductor.deadlocks, steps)


def _on(server: Server, number: int, scene: Scene, call: Any) -> Callable[[], Any]:
    store = SessionStore(
        server.sessions[number], f"{scene.namespace}-{number}", limits=LIMITS, twist=server.twist
    )
    return partial(getattr(store, METHODS[type(call)]), call)


def _next(choices: list[int], ready: list[int]) -> int:
    return choices[-1] if choices and choices[-1] in ready else ready[0]


async def explore(server: Server, meeting: Meeting, *, most: int = 10**9) -> Found:
    """Run every schedule of the meeting; judge each."""
    found = Found(meeting)
    judged = Judge(meeting)
    found.orders = len(judged.allowed.serial)
    waiting: list[tuple[int, ...]] = [()]
    scenes: list[Scene] = []
    limit = 0
    batch: list[Played] = []
    while waiting and found.schedules < most:
        if not scenes:
            scenes = await server.put(meeting, CHUNK if found.schedules else 4)
        prefix = waiting.pop()
        run = await play(server, meeting, scenes.pop(), prefix)
        batch.append(run)
        found.schedules += 1
        found.blocked += run.blocked
        if not prefix:
            limit = SWITCHES if _merges(run) > MERGES else 0
        for branch in _branches(run, len(prefix)):
            if limit and _taken_up(branch, run.enabled) > limit:
                found.bounded = True
            else:
                waiting.append(branch)
    await _judge(server, judged, batch, found)
    return found


def _merges(run: Played) -> int:
    a = run.choices.count(0)
    return comb(len(run.choices), a)


def _branches(run: Played, start: int) -> Iterator[tuple[int, ...]]:
    """The schedules that differ from this one first at a later step."""
    for at in range(start, len(run.choices)):
        for other in run.enabled[at]:
            if other != run.choices[at]:
                yield (*run.choices[:at], other)


def _taken_up(choices: tuple[int, ...], enabled: list[list[int]]) -> int:
    """How often the session that is taken up most is, when the one before could have gone on."""
    switches: Counter[int] = Counter()
    for at, number in enumerate(choices):
        if at == 0 or (number != choices[at - 1] and choices[at - 1] in enabled[at]):
            switches[number] += 1
    return max(switches.values())


class Judge:
    """What a meeting may come to. An outcome is looked at once, however many schedules come to it."""

    def __init__(self, meeting: Meeting) -> None:
        self.meeting = meeting
        self.allowed: Allowed = allowed(meeting)
        self._known: dict[str, str | None] = {}
        self._before = from_memory(made(meeting.setting, ALIKE).store.rows)

    def why_wrong(self, text: str, tables: Tables) -> str | None:
        if text not in self._known:
            self._known[text] = why_broken(self._before, tables) or (
                None if self.allowed.name_of(text) else f"no order comes to this: {self._difference(text)}"
            )
        return self._known[text]

    def _difference(self, text: str) -> str:
        """The lines that the nearest order does not have."""
        lines = text.splitlines()
        nearest = min(
            (expected.splitlines() for expected in self.allowed.serial), key=lambda it: len(set(lines) ^ set(it))
        )
        ours = [line for line in lines if line not in nearest]
        theirs = [line for line in nearest if line not in lines]
        return " | ".join([f"+ {_short(line)}" for line in ours[:3]] + [f"- {_short(line)}" for line in theirs[:3]])


def _short(line: str) -> str:
    return line if len(line) < 400 else line[:400] + ".."


async def _judge(server: Server, judge: Judge, batch: list[Played], found: Found) -> None:
    tables = await read_tables(server.owner, [run.scene.namespace for run in batch])
    for run in batch:
        name = run.scene.namespace
        held = tables[name]
        text = canonical(name, held, run.answers)
        why = _fault(run) or judge.why_wrong(text, held)
        if why:
            found.violations.append(f"{run.name}: {why}")
        else:
            found.outcomes[judge.allowed.name_of(text) or "?"] += 1
    for order in judge.allowed.serial.values():
        if order not in found.outcomes and not found.violations:
            found.violations.append(f"no schedule came to the order {order}")


def _fault(run: Played) -> str | None:
    """What no schedule of two calls may come to, whatever is in the tables."""
    if run.deadlocks:
        return "a deadlock"
    for number, answer in enumerate(run.answers):
        if isinstance(answer, BaseException) and not isinstance(answer, LoomError):
            return f"{chr(65 + number)} broke: {answer!r}"
    return None


