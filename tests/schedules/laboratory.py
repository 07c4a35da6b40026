"""A database with instrumented functions, and what becomes of two calls on it: in order, and in every other way."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from random import SystemRandom
from typing import Any

import asyncpg

from conformance.bodies import LIMITS
from fixtures.event_stores import DatabaseClock, EventStoreDatabase, migrated_database
from fixtures.postgres import Postgres
from loom.errors import Busy, LoomError, ResumeContended
from loom.ids import Namespace
from loom.kernel.events import Event
from loom.kernel.execution import fold, why_drifted
from loom.kernel.heads import Head, Status
from loom.kernel.raw_json import encode
from loom.wire.paths import BY_CALL
from loom_event_store import rows
from loom_event_store.postgres.store import PostgresEventStore
from loom_servicekit.migrations import APPLICATION
from schedules.exploring import Choices, Run, explore, follow
from schedules.sessions import Controller, Session, instrumented_functions
from schedules.stages import CALLS, STAGES, Stage

_INCARNATION = re.compile(r"\d{19}")


class QuietStore(PostgresEventStore):
    """Records neither polls nor refusals: those are transactions of their own, beside the call."""

    async def _record_refusal(self, *_: Any) -> None: ...

    async def _record_polls(self, *_: Any) -> None: ...


class _Numbers(SystemRandom):
    """Incarnations of one length, so that what they are part of has one length, too."""

    def getrandbits(self, bits: int) -> int:
        number = super().getrandbits(bits)
        return number | 1 << 62 if bits == 63 else number


@dataclass
class Finding:
    """What the schedules of one pair at one stage showed."""

    pair: tuple[str, str]
    stage: str
    schedules: int = 0
    blocked: int = 0
    bounded: bool = False
    contended: int = 0
    outcomes: set[str] = field(default_factory=set)
    violations: list[str] = field(default_factory=list)


class Laboratory:
    """Plays pairs of calls. Each schedule has a namespace of its own, so that nothing has to be removed."""

    def __init__(
        self,
        store: QuietStore,
        sessions: tuple[Session, Session],
        controller: Controller,
        reader: asyncpg.Connection,
    ) -> None:
        self._store = store
        self._reader = reader
        self._sessions = sessions
        self._controller = controller
        self._stores = tuple(QuietStore(session, limits=LIMITS, rng=_Numbers()) for session in sessions)  # type: ignore[arg-type]
        self._played = 0

    async def examine(self, one: str, two: str, stage: str, *, merges: int, switches: int) -> Finding:
        """Every schedule of the pair: each must come to what one of the two orders comes to."""
        finding = Finding((one, two), stage)
        orders = {await self._in_order(stage, (one, two), turns) for turns in ((0, 1), (1, 0))}
        alone = {await self._in_order(stage, (one, two), (number,)) for number in (0, 1)}

        def tell(run: Run) -> None:
            finding.schedules += 1
            finding.blocked += run.blocked
            finding.outcomes.add(run.outcome)
            if run.outcome in orders:
                return
            if is_contended(run.outcome) and without_answers(run.outcome) in set(map(without_answers, alone | orders)):
                finding.contended += 1
                return
            finding.violations.append(f"{run.choices}\n{why_neither(run.outcome, orders)}")

        finding.bounded = await explore(
            lambda prefix: self._play(stage, (one, two), prefix), tell, merges=merges, switches=switches
        )
        return finding

    async def _in_order(self, stage: str, pair: tuple[str, str], turns: tuple[int, ...]) -> str:
        set_up = await self._set_up(stage)
        answers = ["", ""]
        for turn in turns:
            answers[turn] = shown(await ask(self._store, CALLS[pair[turn]][1](set_up, turn + 1)))
        return await self._outcome(set_up, answers)

    async def _play(self, stage: str, pair: tuple[str, str], prefix: Choices) -> Run:
        set_up = await self._set_up(stage)
        await self._controller.hold()
        for number, (session, store) in enumerate(zip(self._sessions, self._stores, strict=True)):
            call = CALLS[pair[number]][1](set_up, number + 1)
            await session.begin(lambda store=store, call=call: ask(store, call))  # type: ignore[misc]
        run = await follow(self._controller, self._sessions, prefix)
        answers = [shown(session.task.result()) for session in self._sessions if session.task]
        return replace(run, outcome=await self._outcome(set_up, answers))

    async def _set_up(self, stage: str) -> Stage:
        self._played += 1
        set_up = Stage(Namespace(f"space{self._played:07}"))
        await STAGES[stage](self._store, set_up)
        return set_up

    async def _outcome(self, stage: Stage, answers: list[str]) -> str:
        names, state = await everything(self._reader, stage.namespace)
        return "\n".join(
            [*(named(answer, names) for answer in answers), "--", *sorted(named(line, names) for line in state)]
        )


async def ask(store: Any, call: Any) -> Any:
    """The answer, or the error in its place."""
    try:
        return await getattr(store, BY_CALL[type(call)].port)(call)
    except LoomError as error:
        return error


def shown(answer: Any) -> str:
    """What a caller can tell of an answer."""
    return f"{answer.code} {sorted(answer.facts)}" if isinstance(answer, LoomError) else encode(answer)


def why_neither(outcome: str, orders: Iterable[str]) -> str:
    """The lines that tell an outcome from the order that is nearest to it."""
    lines = set(outcome.splitlines())
    nearest = min((set(order.splitlines()) for order in orders), key=lambda order: len(order ^ lines))
    more, less = sorted(lines - nearest), sorted(nearest - lines)
    if len(more) == len(less):
        pairs = [(set(one.split()), set(two.split())) for one, two in zip(more, less, strict=True)]
        return "\n".join(f"  + {sorted(one - two)}\n  - {sorted(two - one)}" for one, two in pairs)
    return "\n".join([*(f"  + {line}" for line in more), *(f"  - {line}" for line in less)])


def is_contended(outcome: str) -> bool:
    """Was one of the two told to come back later, or given nothing because the other was at it?"""
    answers = outcome.partition("\n--\n")[0].splitlines()
    nothing = (Busy.code, ResumeContended.code, '{"items":[]}')
    return any(answer.startswith(nothing) for answer in answers)


def without_answers(outcome: str) -> str:
    """The state alone."""
    return outcome.partition("\n--\n")[2]


def named(text: str, names: dict[str, str]) -> str:
    """The text with what is random by its name, so that two runs can be compared."""
    for value, name in sorted(names.items(), key=lambda pair: -len(pair[0])):
        text = text.replace(value, name)
    return _INCARNATION.sub("#gone", text)


STATE = {
    "heads": "SELECT * FROM event_store.heads WHERE namespace = $1 ORDER BY execution_id",
    "events": """SELECT events.* FROM event_store.events JOIN event_store.heads USING (head)
                  WHERE namespace = $1 ORDER BY execution_id, seq""",
    "edges": """SELECT edges.* FROM event_store.edges JOIN event_store.heads ON heads.head = edges.parent_head
                 WHERE namespace = $1 ORDER BY execution_id, child_key""",
    "inbox": """SELECT inbox.* FROM event_store.inbox JOIN event_store.heads USING (head)
                 WHERE namespace = $1 ORDER BY execution_id, inbox_seq""",
    "pins": """SELECT pins.* FROM event_store.pins JOIN event_store.heads USING (head)
                WHERE namespace = $1 ORDER BY execution_id, pins.owner""",
    "grants": """SELECT grants.* FROM event_store.grants JOIN event_store.heads USING (head)
                  WHERE namespace = $1 ORDER BY execution_id, grants.token""",
    "outbox": """SELECT topic, key, body::jsonb AS body FROM event_store.outbox JOIN event_store.heads USING (head)
                  WHERE namespace = $1 ORDER BY topic, key, body""",
    "duties": "SELECT * FROM event_store.duties WHERE name = 'duty-' || $1",
}
_LEFT_OUT = ("head", "parent_head", "edge", "batch_digest")  # surrogates, and what has the namespace in it


async def everything(connection: asyncpg.Connection, namespace: str) -> tuple[dict[str, str], list[str]]:
    """Names for what is random in this namespace; and its rows, without surrogates, and whether they hold together."""
    found: dict[str, list[asyncpg.Record]] = {}
    for table, query in STATE.items():
        found[table] = await connection.fetch(query, namespace)
    logs: dict[int, list[Event]] = {}
    for row in found["events"]:
        logs.setdefault(row["head"], []).append(rows.event_from(row))
    broken = [why for row in found["heads"] for why in why_broken(rows.head_from(row), logs.get(row["head"], []))]
    lines = [
        f"{table} " + " ".join(f"{name}={value}" for name, value in row.items() if name not in _LEFT_OUT)
        for table, records in found.items()
        for row in records
    ]
    names = {namespace: "space", **{row["child_id"]: f"child-{row['child_key']}" for row in found["edges"]}}
    names |= {
        str(row["incarnation"]): f"#{names.get(row['execution_id'], row['execution_id'])}" for row in found["heads"]
    }
    return names, [*lines, *(f"BROKEN {why}" for why in broken)]


def why_broken(head: Head, events: list[Event]) -> list[str]:
    """I1, I8, I9, I19: sequences without a gap, the head the fold of its log, one answer a park, fences that grow."""
    if head.status is Status.DELETED:
        return ["a tombstone with events"] if events else []
    reasons = []
    if [event.seq for event in events] != list(range(1, head.last_seq + 1)):
        reasons.append("a gap in the sequences")
    drift = why_drifted(head, fold(events))
    fences = [event.fence for event in events]
    parks = [event.answers_park for event in events if event.answers_park is not None]
    reasons += [drift] if drift else []
    reasons += ["a fence went back"] if fences != sorted(fences) else []
    reasons += ["a park answered twice"] if len(set(parks)) < len(parks) else []
    return reasons


@asynccontextmanager
async def laboratory(server: Postgres, *, break_it: Callable[[str], str] = str) -> AsyncIterator[Laboratory]:
    """A database whose functions are instrumented; `break_it` makes a mutant of them."""
    async with migrated_database(server) as database:
        clock = DatabaseClock(database.owner)
        try:
            async with _sessions(server, database, break_it) as opened:
                yield opened
        finally:
            clock.close()


@asynccontextmanager
async def _sessions(
    server: Postgres, database: EventStoreDatabase, break_it: Callable[[str], str]
) -> AsyncIterator[Laboratory]:
    functions = break_it(instrumented_functions())
    clock = "CREATE OR REPLACE FUNCTION event_store.instant() RETURNS bigint LANGUAGE sql VOLATILE AS "
    await server.execute(functions + clock + "$$ SELECT now FROM event_store.test_clock $$", database.name)
    await server.execute(
        f"ALTER ROLE {APPLICATION} IN DATABASE \"{database.name}\" SET deadlock_timeout = '20ms'", database.name
    )
    store = await QuietStore.open(database.application, size=1, limits=LIMITS, rng=_Numbers())
    controller, watcher = [await asyncpg.connect(database.owner) for _ in range(2)]
    sessions = (await Session.open(database.application, 1), await Session.open(database.application, 2))
    try:
        yield Laboratory(store, sessions, Controller(controller, watcher, sessions), watcher)
    finally:
        for connection in (controller, watcher, *(session.connection for session in sessions)):
            await connection.close()
        await store.close()
