"""Random operation scripts: memory is the oracle, every other body answers, refuses and keeps the same."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from conformance.bodies import LIMITS, served
from conformance.scripts import ACTS, NAMESPACE, Knowledge, Step, scripts
from fixtures.event_stores import DatabaseClock, EventStoreDatabase, migrated_database
from fixtures.postgres import Postgres
from fixtures.traces import in_span
from loom.clock import ManualClock
from loom.errors import LoomError
from loom.kernel import calls as c
from loom.kernel.raw_json import encode
from loom.stores.event_store import EventStore
from loom.stores.memory import MemoryEventStore
from loom.wire.paths import BY_CALL
from loom_event_store.postgres.store import PostgresEventStore
from loom_event_store.sqlite.store import SqliteEventStore

SCRIPTS = settings(
    max_examples=60, derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
SEED = 7


async def ask(store: EventStore, call: Any) -> Any:
    """The answer, or the error in its place."""
    return await settle(getattr(store, BY_CALL[type(call)].port)(call))


async def settle(answer: Awaitable[Any]) -> Any:
    """The answer, or the error in its place."""
    try:
        return await answer
    except LoomError as error:
        return error


def shown(answer: Any) -> str:
    """What a caller can tell of an answer; refusals of one millisecond have no order."""
    if isinstance(answer, c.Ownership):
        ordered = sorted(answer.refusals, key=lambda row: (row.last_at, row.token, row.surface))
        answer = replace(answer, refusals=tuple(ordered))
    return f"{answer.code} {answer}" if isinstance(answer, LoomError) else encode(answer)


async def everything(store: EventStore) -> list[str]:
    """All that can be read of the scripts' executions."""
    heads = (await store.list_executions(c.ListExecutions(namespace=NAMESPACE))).items
    found = [encode(heads)]
    for head in heads:
        at = {"namespace": head.namespace, "execution_id": head.execution_id}
        for read in (c.ReadEvents, c.ReadPark, c.ReadInbox, c.ReadChildren, c.ReadPins, c.ReadOwnership):
            found.append(shown(await ask(store, read(**at))))
    for about in ("overdue", "satisfied", "cancels", "deadlines", "closes"):
        found.append(encode(await store.list_due(c.ListDue(about=about))))
    return found


async def why_different(script: list[Step], clock: ManualClock, oracle: EventStore, other: EventStore) -> str | None:
    """The first step after which the bodies are told apart, or None."""
    known = Knowledge()
    for number, step in enumerate(script):
        call = ACTS[step.act](known, step.a, step.b)
        with in_span(number):
            wanted, got = await ask(oracle, call), await ask(other, call)
        if shown(wanted) != shown(got):
            return f"{call}\n  wanted {shown(wanted)}\n  got    {shown(got)}"
        known.learn(wanted)
        known.heads = (await oracle.list_executions(c.ListExecutions(namespace=NAMESPACE))).items
        clock.advance(step.passes_ms)
    pairs = zip(await everything(oracle), await everything(other), strict=True)
    return next((f"wanted {one}\ngot    {two}" for one, two in pairs if one != two), None)


def in_memory(clock: ManualClock) -> MemoryEventStore:
    """A store whose incarnations repeat with the script."""
    return MemoryEventStore(clock, limits=LIMITS, rng=Random(SEED))


async def on_sqlite(script: list[Step], folder: Path) -> str | None:
    """The script on a file."""
    clock = ManualClock()
    other = SqliteEventStore.open(folder / "events.sqlite", clock=clock, limits=LIMITS, rng=Random(SEED))
    try:
        return await why_different(script, clock, in_memory(clock), other)
    finally:
        other.close()


async def on_postgres(script: list[Step], database: EventStoreDatabase, clock: DatabaseClock) -> str | None:
    """The script on a database, emptied before."""
    await database.empty()
    clock.reset()
    other = await PostgresEventStore.open(database.application, size=2, limits=LIMITS, rng=Random(SEED))
    try:
        return await why_different(script, clock, in_memory(clock), other)
    finally:
        await other.close()


async def on_http(script: list[Step], behind: type[MemoryEventStore] = MemoryEventStore) -> str | None:
    """The script over the service, on another store in memory."""
    clock = ManualClock()
    async with served(behind(clock, limits=LIMITS, rng=Random(SEED))) as other:
        return await why_different(script, clock, in_memory(clock), other)


@SCRIPTS
@given(script=scripts)
def test_sqlite_agrees_with_the_oracle(script: list[Step]) -> None:
    """Design 3: same answers, same refusals, same rows."""
    with tempfile.TemporaryDirectory() as folder:
        assert asyncio.run(on_sqlite(script, Path(folder))) is None


@pytest.fixture(scope="module")
def database(postgres: Postgres) -> Iterator[EventStoreDatabase]:
    """A migrated database for all scripts."""
    with asyncio.Runner() as runner:
        opened = migrated_database(postgres)
        yield runner.run(opened.__aenter__())
        runner.run(opened.__aexit__(None, None, None))


@pytest.fixture(scope="module")
def clock(database: EventStoreDatabase) -> Iterator[DatabaseClock]:
    """The clock of that database."""
    clock = DatabaseClock(database.owner)
    yield clock
    clock.close()


@SCRIPTS
@given(script=scripts)
def test_postgres_agrees_with_the_oracle(
    script: list[Step], database: EventStoreDatabase, clock: DatabaseClock
) -> None:
    """Design 3: nine functions and the kernel behind a lock say and keep what the kernel says and keeps."""
    assert asyncio.run(on_postgres(script, database, clock)) is None


@SCRIPTS
@given(script=scripts)
def test_http_agrees_with_the_oracle(script: list[Step]) -> None:
    """Design 3: the wire adds nothing and loses nothing."""
    assert asyncio.run(on_http(script)) is None


class Generous(MemoryEventStore):
    """Renews what has expired."""

    async def renew(self, call: c.Renew) -> c.Renewed:
        head = self.rows.head_named(call.namespace, call.execution_id)
        if head is None or head.token != call.credential.token:
            return await super().renew(call)
        return c.Renewed(lease_until=self.moment().now, ttl_ms=call.ttl_ms, waiting=c.Waiting())


def test_a_body_that_differs_is_noticed() -> None:
    """Negative control: a script of a start, a claim and a renewal tells this one apart."""
    script = [Step("start", 1, 1, 0), Step("poll", 1, 9, 0), Step("renew", 1, 60, 0)]

    assert asyncio.run(on_http(script)) is None
    assert asyncio.run(on_http(script, Generous)) is not None


@pytest.fixture(scope="module")
def met() -> dict[str, set[str]]:
    """By call: what it came to over a fixed run of scripts on the oracle."""
    found: dict[str, set[str]] = {act: set() for act in ACTS}

    async def play(script: list[Step]) -> None:
        clock, known = ManualClock(), Knowledge()
        store = in_memory(clock)
        for step in script:
            call = ACTS[step.act](known, step.a, step.b)
            answer = await ask(store, call)
            found[step.act].add(answer.code if isinstance(answer, LoomError) else "done")
            known.learn(answer)
            known.heads = (await store.list_executions(c.ListExecutions(namespace=NAMESPACE))).items
            clock.advance(step.passes_ms)

    @settings(SCRIPTS, max_examples=400)
    @given(script=scripts)
    def run(script: list[Step]) -> None:
        asyncio.run(play(script))

    run()
    return found


@pytest.mark.parametrize("act", ACTS)
def test_scripts_reach_success_and_refusal_of_every_call(act: str, met: dict[str, set[str]]) -> None:
    """Layer 2: scripts that never succeed, or never fail, would agree about nothing."""
    assert "done" in met[act]
    assert met[act] - {"done"}
