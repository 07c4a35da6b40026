"""Every schedule of some calls that meet: enumerated, played on the server, judged by the oracle and the invariants."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from math import factorial, prod
from typing import Any

import asyncpg

from event_store.schedules.invariants import why_broken
from event_store.schedules.marks import FUNCTIONS, MARK, instrumented
from event_store.schedules.offers import Tick, calls_of_port, type_of
from event_store.schedules.oracle import ALIKE, Allowed, Meeting, allowed
from event_store.schedules.scenes import LIMITS, NOW, Scene, made
from event_store.schedules.sessions import Conductor, Gated, Session, SessionStore, Twist
from event_store.schedules.tables import Tables, canonical, from_memory, read_tables, writes_of
from fixtures.event_stores import migrated_database
from fixtures.postgres import Postgres
from fixtures.traces import in_span
from loom.errors import LoomError
from loom_event_store.postgres.statements import QUERIES
from loom_event_store.postgres.writes import worded

MERGES = 500
"""More merges than this are bounded: these many, those with the fewest switches."""
SWITCHES = 3
"""How often a bounded schedule takes a session up at most."""
CHUNK = 16
"""Scenes that are put into the database at once."""
JUDGED = 48
"""Schedules that are judged at once; the first fault ends a meeting."""
OLDEST = -(10**12)
"""Scenes' heads are older than any that a call makes."""

METHODS = {type_of(call.name): call.name for call in calls_of_port()}

CLOCK = f"""
CREATE TABLE event_store.test_clock (now bigint NOT NULL);
INSERT INTO event_store.test_clock VALUES ({NOW});
GRANT SELECT, UPDATE ON event_store.test_clock TO PUBLIC;
CREATE OR REPLACE FUNCTION event_store.instant() RETURNS bigint LANGUAGE sql VOLATILE AS $$
    SELECT now FROM event_store.test_clock
$$;
"""
_SET_CLOCK = f"UPDATE event_store.test_clock SET now = {NOW}"
_MOVE_CLOCK = "UPDATE event_store.test_clock SET now = now + $1"


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

    def __init__(
        self,
        owner: asyncpg.Connection[asyncpg.Record],
        sessions: list[Session],
        conductor: Conductor,
        twist: Twist,
        application: str,
    ) -> None:
        self.owner = owner
        self.application = application  # the URL of everybody else
        self.sessions = sessions
        self.conductor = conductor
        self.twist = twist
        self._numbers = count(1)

    async def put(self, meeting: Meeting, how_many: int) -> list[Scene]:
        """So many scenes of a meeting, in the database."""
        scenes = []
        writes = []
        for _ in range(how_many):
            number = next(self._numbers)
            scene = made(meeting.setting, f"loom_{number:07}")
            scenes.append(scene)
            writes += writes_of(from_memory(scene.store.rows), OLDEST + number * 1_000)
        await self.owner.execute(QUERIES["apply_change"], worded(writes), NOW)
        return scenes


@asynccontextmanager
async def serving(
    server: Postgres, *, sessions: int = 2, twist: Twist | None = None, mutate: Callable[[str], str] | None = None
) -> AsyncIterator[Server]:
    """A database to play on. `mutate` changes the text of the functions first."""
    async with migrated_database(server) as database:
        owner = await asyncpg.connect(database.owner)
        await owner.execute(f"ALTER DATABASE \"{database.name}\" SET deadlock_timeout = '10ms'")
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
            opened[0].is_first = True
            yield Server(owner, opened, Conductor(watcher, opened), given, database.application)
        finally:
            for session in opened:
                await session.close()
            await watcher.close()
            await owner.close()


_ANY_ISOLATION = """
CREATE OR REPLACE FUNCTION event_store.check_isolation() RETURNS void LANGUAGE plpgsql AS $$ BEGIN END $$;
"""


After = Callable[[], Awaitable[object]]


@dataclass(slots=True)
class Played:
    """One schedule that was run."""

    scene: Scene
    choices: tuple[int, ...]
    prescribed: int  # so many of them
    enabled: list[list[int]]
    answers: list[Any]
    blocked: int
    broken: int  # the step that closed a circle of waiting sessions; whom the server ends then is its own choice
    steps: list[str]

    @property
    def name(self) -> str:
        return "".join(chr(65 + number) for number in self.choices)


async def play(
    server: Server, meeting: Meeting, scene: Scene, prefix: tuple[int, ...], *, after: After | None = None
) -> Played:
    """The schedule that begins like this; further on each session goes as far as it can. `after` each step: once."""
    calls = meeting.calls(scene)
    if meeting.ticks:
        await server.owner.execute(_SET_CLOCK)
    await server.conductor.begin([_on(server, number, scene, call) for number, call in enumerate(calls)])
    choices: list[int] = []
    enabled: list[list[int]] = []
    steps: list[str] = []
    blocked = broken = 0
    while ready := server.conductor.enabled():
        if prefix[len(choices) : len(choices) + 1] and (broken or prefix[len(choices)] not in ready):
            assert broken or len(calls) > 2, f"{meeting.name}: what began like this went another way: {steps}"
            prefix = prefix[: len(choices)]  # of two that waited, the other came first
        turn = prefix[len(choices)] if len(choices) < len(prefix) else _next(choices, ready)
        steps.append(f"{chr(65 + turn)}:{server.sessions[turn].at}")
        enabled.append(ready)
        choices.append(turn)
        waiting = server.conductor.waiting()
        await server.conductor.step(turn)
        if after is not None:
            await after()
        blocked += bool(server.conductor.waiting() - waiting)
        if server.conductor.deadlocked and not broken:
            broken = len(choices)
    answers = [server.sessions[number].answer for number in range(len(calls))]
    return Played(scene, tuple(choices), len(prefix), enabled, answers, blocked, broken, steps)


def _on(server: Server, number: int, scene: Scene, call: Any) -> Callable[[], Any]:
    if isinstance(call, Tick):
        return partial(Gated(server.sessions[number], server.twist).execute, _MOVE_CLOCK, call.ms)
    store = SessionStore(server.sessions[number], f"{scene.namespace}-{number}", limits=LIMITS, twist=server.twist)
    return partial(_in_span, number, getattr(store, METHODS[type(call)]), call)


async def _in_span(number: int, method: Callable[[Any], Any], call: Any) -> Any:
    """Each session in a trace of its own, as the oracle plays it too."""
    with in_span(number):
        return await method(call)


def _next(choices: list[int], ready: list[int]) -> int:
    return choices[-1] if choices and choices[-1] in ready else ready[0]


async def explore(server: Server, meeting: Meeting, *, most: int = MERGES, switches: int = SWITCHES) -> Found:
    """Run every schedule of the meeting, those with few switches first; judge each."""
    found = Found(meeting)
    judged = Judge(meeting)
    found.orders = len(judged.allowed.serial)
    await server.owner.execute(_SET_CLOCK)
    waiting: list[tuple[int, tuple[int, ...]]] = [(0, ())]
    queued: set[tuple[int, ...]] = set()
    scenes: list[Scene] = []
    limit = 0
    batch: list[Played] = []
    while waiting and found.schedules < most and not found.violations:
        if not scenes:
            scenes = await server.put(meeting, CHUNK if found.schedules else 4)
        _, prefix = heapq.heappop(waiting)
        run = await play(server, meeting, scenes.pop(), prefix)
        batch.append(run)
        found.schedules += 1
        found.blocked += run.blocked
        if not prefix:
            limit = switches if _merges(run) > MERGES else 0
        for branch in branches(run):
            switched = switches_of(branch, run.enabled)
            if limit and switched > limit:
                found.bounded = True
            elif branch not in queued:
                queued.add(branch)
                heapq.heappush(waiting, (switched, branch))
        if len(batch) == JUDGED:
            await _judge(server, judged, batch, found)
            batch.clear()
    await _judge(server, judged, batch, found)
    found.bounded |= bool(waiting)
    if not found.bounded and not found.violations:
        unseen = set(judged.allowed.serial.values()) - set(found.outcomes)
        found.violations += [f"no schedule came to the order {order}" for order in sorted(unseen)]
    return found


def _merges(run: Played) -> int:
    """Of its lists of steps, if none ever waited for another."""
    return factorial(len(run.choices)) // prod(map(factorial, Counter(run.choices).values()))


def branches(run: Played) -> Iterator[tuple[int, ...]]:
    """The schedules that differ from this one first at a later step."""
    for at in range(run.prescribed, run.broken or len(run.choices)):
        for other in run.enabled[at]:
            if other != run.choices[at]:
                yield (*run.choices[:at], other)


def switches_of(choices: tuple[int, ...], enabled: list[list[int]]) -> int:
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
        """What is not as in the nearest order."""
        said = _words(text)
        expected = min(map(_words, self.allowed.serial), key=lambda it: len(said ^ it))
        return f"here {sorted(said - expected)[:6]}, by that order {sorted(expected - said)[:6]}"


def _words(text: str) -> set[str]:
    """The members of every row, each with the row that it is of."""
    return {
        f"{line[:40].split('(')[0]}.. {word}" if number else line[:60]
        for line in text.splitlines()
        for number, word in enumerate(line.split(", "))
    }


async def _judge(server: Server, judge: Judge, batch: list[Played], found: Found) -> None:
    tables = await read_tables(server.owner, [run.scene.namespace for run in batch])
    for run in batch:
        name = run.scene.namespace
        held = tables[name]
        text = canonical(name, held, run.answers, timeless=judge.meeting.ticks)
        why = _fault(run) or judge.why_wrong(text, held)
        if why:
            found.violations.append(f"{run.name}: {why}")
        else:
            found.outcomes[judge.allowed.name_of(text) or "?"] += 1


def _fault(run: Played) -> str | None:
    """What no schedule of two calls may come to, whatever is in the tables."""
    if run.broken:
        return "a deadlock"
    for number, answer in enumerate(run.answers):
        if isinstance(answer, BaseException) and not isinstance(answer, LoomError):
            return f"{chr(65 + number)} broke: {answer!r}"
    return None
