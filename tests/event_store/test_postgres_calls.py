"""What a call on Postgres comes to when locks are held, connections go and callers hang up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random
from typing import Any

import asyncpg
import pytest

from fixtures.event_stores import EventStoreDatabase, migrated_database
from fixtures.postgres import Postgres
from loom.errors import Busy, NotParked, OrderViolation, ResumeContended, StoreUnavailable
from loom.ids import Credential, ExecutionId, Namespace, Nonce, Token
from loom.kernel import calls as c
from loom.kernel.events import NewEvent
from loom.kernel.hints import ChildDone
from loom.kernel.parks import Message, MessageWait, Timer, TimerWait
from loom.wire.paths import BY_CALL
from loom_event_store.postgres import store as module
from loom_event_store.postgres.calls import HOT
from loom_event_store.postgres.store import PostgresEventStore
from loom_event_store.postgres.tallies import record_polls
from loom_servicekit.postgres import Connection, Database, OutcomeUnknown, open_pool

NAME: dict[str, Any] = {"namespace": Namespace("n"), "execution_id": ExecutionId("e")}
START = c.Start(**NAME, batch_id="start", workflow="w", queue="q")
HEAD = c.ReadHead(**NAME)
WAITING = "SELECT count(*) FROM pg_stat_activity WHERE cardinality(pg_blocking_pids(pid)) > 0"


@pytest.fixture(scope="module")
def shared(postgres: Postgres) -> Any:
    """A migrated database for this module."""
    with asyncio.Runner() as runner:
        opened = migrated_database(postgres)
        yield runner.run(opened.__aenter__())
        runner.run(opened.__aexit__(None, None, None))


@pytest.fixture
async def database(shared: EventStoreDatabase) -> EventStoreDatabase:
    """The module's database, emptied."""
    await shared.empty()
    return shared


@pytest.fixture
async def store(database: EventStoreDatabase) -> AsyncIterator[PostgresEventStore]:
    """A store with few connections."""
    store = await PostgresEventStore.open(database.application, size=3)
    yield store
    await store.close()


@pytest.fixture
async def patient(database: EventStoreDatabase) -> AsyncIterator[PostgresEventStore]:
    """A store that waits for a lock for as long as a test holds it, on a slow machine too."""
    store = await PostgresEventStore.open(f"{database.application}?lock_timeout=60s", size=3)
    yield store
    await store.close()


@pytest.fixture
async def pool(database: EventStoreDatabase) -> AsyncIterator[Database]:
    """A pool whose calls may take half a second."""
    pool = await open_pool(database.application, size=2, call_s=0.5)
    yield pool
    await pool.close()


async def claimed(store: PostgresEventStore) -> Credential:
    """Start and claim the execution."""
    await store.start(START)
    call = c.ClaimRunnable(
        namespace=START.namespace, queue="q", workflows=("w@0",), max=1, nonce=Nonce("n" * 32), owner="o"
    )
    return (await store.claim_runnable(call)).items[0].credential


def append(credential: Credential, key: str = "k") -> c.Append:
    """One step."""
    return c.Append(**NAME, credential=credential, batch_id=key, events=(NewEvent(kind="STEP_STARTED"),))


async def parked(store: PostgresEventStore) -> c.Resume:
    """Park on a timer that is due; the resume that answers it."""
    credential = await claimed(store)
    waits = (TimerWait(id="t", timer=Timer(delay_ms=0)),)
    park = await store.park(c.Park(**NAME, credential=credential, batch_id="p", waits=waits))
    return c.Resume(**NAME, incarnation=credential.incarnation, park_seq=park.park_seq, wait="t")


@asynccontextmanager
async def held(database: EventStoreDatabase, table: str = "heads") -> AsyncIterator[None]:
    """Somebody else has the locks of a table's rows for as long as the block lasts."""
    holder = await asyncpg.connect(database.owner)
    try:
        async with holder.transaction():
            await holder.execute(f"SELECT 1 FROM event_store.{table} FOR UPDATE")
            yield
    finally:
        await holder.close()


async def until_waiting(database: EventStoreDatabase, sessions: int = 1) -> None:
    """Look until so many sessions wait for a lock; outside of any transaction, which would keep its first look."""
    connection = await asyncpg.connect(database.owner)
    async with asyncio.timeout(30):
        while await connection.fetchval(WAITING) < sessions:  # noqa: ASYNC110 - what changes is elsewhere
            await asyncio.sleep(0.01)
    await connection.close()


async def test_a_lock_that_does_not_come_free_is_busy(database: EventStoreDatabase, store: PostgresEventStore) -> None:
    """H27, I11: 55P03 is Busy, on a resume ResumeContended; both may be tried again, and then it is done."""
    resume = await parked(store)
    cancel = c.Cancel(**NAME, chain="*", batch_id="x")

    async with held(database):
        with pytest.raises(ResumeContended) as contended:
            await store.resume(resume)
        with pytest.raises(Busy):
            await store.cancel(cancel)

    assert contended.value.facts["attempts"] == 1
    assert (await store.resume(resume)).resumed_seq == 3


async def test_a_cancelled_caller_leaves_a_commit_that_is_done(
    database: EventStoreDatabase, store: PostgresEventStore
) -> None:
    """H23: a cancelled commit would be one that waits for no standby; whoever asks again gets the first answer."""
    credential = await claimed(store)

    async with held(database):
        call = asyncio.ensure_future(store.append(append(credential)))
        await until_waiting(database)
        call.cancel()
        await asyncio.wait([call])
    assert call.cancelled()

    async with asyncio.timeout(30):
        while (await store.read_head(HEAD)).last_seq < 2:  # noqa: ASYNC110 - what changes is elsewhere
            await asyncio.sleep(0.01)
    assert (await store.append(append(credential))).last_seq == 2


async def test_a_cancelled_statement_of_the_driver_is_cancelled_in_the_server(
    database: EventStoreDatabase, store: PostgresEventStore
) -> None:
    """H23, H37, negative control: without a task of its own the statement would end with whoever asked for it."""
    await claimed(store)
    connection = await asyncpg.connect(database.owner)

    async with held(database):
        statement = asyncio.ensure_future(connection.execute("UPDATE event_store.heads SET last_seq = 2"))
        await until_waiting(database)
        statement.cancel()
        await asyncio.wait([statement])
        assert await connection.fetchval("SELECT 1") == 1  # the server has ended the statement
    await connection.close()

    assert (await store.read_head(HEAD)).last_seq == 1


async def test_an_append_cancelled_at_any_await_is_known_by_its_key(store: PostgresEventStore) -> None:
    """H37: whatever its caller was told, asking again says what happened, and it happened once."""
    credential = await claimed(store)
    tries = 60

    for awaits in range(tries):
        call = asyncio.ensure_future(store.append(append(credential, f"k{awaits}")))
        for _ in range(awaits):
            await asyncio.sleep(0)
        call.cancel()
        await asyncio.wait([call])
        again = await store.append(append(credential, f"k{awaits}"))
        assert again.last_seq == awaits + 2

    assert (await store.read_head(HEAD)).last_seq == tries + 1


async def test_what_is_hot_is_done_by_its_function(store: PostgresEventStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Design 3: each of the nine, where nothing stands in its way, is one round trip and no lock of the kernel's."""

    async def decide_cold(connection: Any, call: Any, *others: Any) -> Any:
        raise AssertionError(f"{type(call).__name__} was decided by the kernel")

    monkeypatch.setattr(module, "decide_cold", decide_cold)
    done = {type(call) for call in [START]}
    seen: dict[str, Any] = {**NAME, "incarnation": (await store.start(START)).execution.incarnation}

    async def claim(token: int, nonce: str) -> Credential:
        call = c.Claim(**seen, token=Token(token), nonce=Nonce(nonce * 32), owner="o", ttl_ms=60_000)
        done.add(type(call))
        return (await store.claim(call)).credential

    async def ask(call: Any) -> Any:
        done.add(type(call))
        return await getattr(store, BY_CALL[type(call)].port)(call)

    first = await claim(0, "a")
    await ask(c.Renew(**NAME, credential=first, ttl_ms=60_000))
    await ask(append(first))
    await ask(c.Send(**NAME, chain="*", message_id="m1", name="letter"))
    waits = (TimerWait(id="t", timer=Timer(delay_ms=0)), MessageWait(id="m", message=Message(name="mail")))
    park = await ask(c.Park(**NAME, credential=first, batch_id="p", waits=waits))
    taken = c.AcquireIfParked(
        **seen, park_seq=park.park_seq, token=first.token, nonce=Nonce("q" * 32), owner="q", ttl_ms=60_000
    )
    grant = (await ask(taken)).credential
    resumed = await ask(c.Resume(**seen, park_seq=park.park_seq, wait="t", credential=grant))
    second = await claim(int(resumed.token), "b")
    again = await ask(c.Park(**NAME, credential=second, batch_id="p2", waits=waits))
    assert (await ask(c.Send(**NAME, chain="*", message_id="m2", name="mail", sender=None))).resumed
    head = await store.read_head(HEAD)
    third = await claim(int(head.token), "c")
    await ask(c.Release(**NAME, credential=third))

    assert done == HOT
    assert again.park_seq < head.last_seq


@pytest.mark.parametrize("position", [0, -(2**63), 2**63 - 1])
async def test_no_position_is_too_great_to_be_compared(store: PostgresEventStore, position: int) -> None:
    """I1: behind the greatest number that a column holds nothing is greater, and the sum of the two is none."""
    credential = await claimed(store)

    async def at(position: int, key: str) -> c.Appended:
        events = (NewEvent(kind="Noted", position=position),)
        return await store.append(c.Append(**NAME, credential=credential, batch_id=key, events=events))

    await at(2**63 - 2, "great")
    assert (await at(2**63 - 1, "greatest")).last_seq == 3

    with pytest.raises(OrderViolation):
        await at(position, "next")


async def test_two_that_answer_one_park_are_one_answer(database: EventStoreDatabase, store: PostgresEventStore) -> None:
    """I9, p15: both wait for the head; the second judges the row that the first left behind."""
    resume = await parked(store)

    async with held(database):
        both = [asyncio.ensure_future(store.resume(resume)) for _ in range(2)]
        await until_waiting(database, 2)
    answers = await asyncio.gather(*both, return_exceptions=True)

    assert {type(answer) for answer in answers} == {c.Resumed, NotParked}


async def test_past_its_bound_a_call_is_aborted_and_its_outcome_unknown(pool: Database) -> None:
    """H28: 10 s, then the connection is aborted; the next call has another one."""
    with pytest.raises(OutcomeUnknown):
        await pool.run(lambda connection: connection.execute("SELECT pg_sleep(60)"))

    assert await pool.run(lambda connection: connection.fetchval("SELECT 1")) == 1


async def test_a_connection_that_goes_is_dropped(database: EventStoreDatabase, pool: Database) -> None:
    """H28: 57P01 and a closed socket are `unavailable`; the pool goes on."""

    async def killed(connection: Connection) -> None:
        owner = await asyncpg.connect(database.owner)
        await owner.execute("SELECT pg_terminate_backend($1)", connection.get_server_pid())
        await owner.close()
        await connection.execute("SELECT 1")

    with pytest.raises(StoreUnavailable):
        await pool.run(killed)

    assert await pool.run(lambda connection: connection.fetchval("SELECT 1")) == 1


async def test_a_connection_that_goes_between_two_messages_is_dropped(pool: Database) -> None:
    """H28: the driver calls it a fault of its own; it is an outage all the same."""
    pid = await pool.run(_pid)

    async def confused(connection: Connection) -> None:
        raise asyncpg.InternalClientError("cannot switch to state 15; another operation (2) is in progress")

    with pytest.raises(StoreUnavailable):
        await pool.run(confused)

    assert pid not in {await pool.run(_pid) for _ in range(4)}


async def test_one_read_only_answer_empties_the_pool(pool: Database) -> None:
    """H28: 25006 comes from a primary that is none any more; its other connections are of no use either."""
    pids = {await pool.run(_pid) for _ in range(4)}

    with pytest.raises(StoreUnavailable):
        await pool.run(_write_read_only)

    assert pids.isdisjoint({await pool.run(_pid) for _ in range(4)})


async def _pid(connection: Connection) -> int:
    return int(await connection.fetchval("SELECT pg_backend_pid()"))


async def _write_read_only(connection: Connection) -> None:
    async with connection.transaction(readonly=True):
        await connection.execute("DELETE FROM event_store.outbox")


@pytest.mark.parametrize(
    ("statement", "argument", "fault"),
    [("SELECT 1 / $1::integer", 0, asyncpg.DivisionByZeroError), ("SELECT $1::bigint", 2**70, asyncpg.DataError)],
)
async def test_an_error_of_ours_is_no_outage(
    pool: Database, statement: str, argument: int, fault: type[Exception]
) -> None:
    """A wrong statement is a fault of the program: it is raised as it is, and the connection stays."""
    pid = await pool.run(_pid)

    with pytest.raises(fault):
        await pool.run(lambda connection: connection.execute(statement, argument))

    assert await pool.run(_pid) == pid


async def test_an_unknown_outcome_is_settled_by_asking_again(
    store: PostgresEventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """H23, I3: the append committed, its answer was lost; the same key gives the first answer, and one event."""
    credential = await claimed(store)
    run, lost = store._database.run, [True]

    async def losing(work: Any) -> Any:
        answer = await run(work)
        if lost.pop() if lost else False:
            raise OutcomeUnknown
        return answer

    monkeypatch.setattr(store._database, "run", losing)

    answer = await store.append(append(credential))

    assert (answer.first_seq, (await store.read_head(HEAD)).last_seq) == (2, 2)


async def test_what_nothing_recognises_stays_unknown(
    store: PostgresEventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """H23: a resume without a key is not made twice blindly; whoever asked reads the park again."""
    resume = await parked(store)
    run = store._database.run

    async def losing(work: Any) -> Any:
        await run(work)
        raise OutcomeUnknown

    monkeypatch.setattr(store._database, "run", losing)
    with pytest.raises(StoreUnavailable):
        await store.resume(resume)
    monkeypatch.undo()

    with pytest.raises(NotParked):
        await store.resume(resume)


async def test_starts_of_one_id_at_once_are_one_start(store: PostgresEventStore) -> None:
    """I5: whoever waits for the other's insert is told what it made."""
    calls = [c.Start(**NAME, batch_id=f"s{n}", workflow="w", if_exists="return") for n in range(8)]

    answers = await asyncio.gather(*map(store.start, calls))

    assert len({answer.execution.incarnation for answer in answers}) == 1
    assert sum(answer.created for answer in answers) == 1


async def test_polls_at_once_hand_an_execution_out_once(store: PostgresEventStore) -> None:
    """I24: what another poll is at is passed over."""
    for number in range(20):
        await store.start(
            c.Start(
                namespace=Namespace("n"), execution_id=ExecutionId(f"e{number}"), batch_id="s", workflow="w", queue="q"
            )
        )
    polls = [
        c.ClaimRunnable(
            namespace=Namespace("n"), queue="q", workflows=("w@0",), max=5, nonce=Nonce(f"{n:032}"), owner=f"o{n}"
        )
        for n in range(6)
    ]

    claims = await asyncio.gather(*map(store.claim_runnable, polls))

    handed = [item.credential.execution_id for claim in claims for item in claim.items]
    assert len(handed) == len(set(handed)) == 20


async def test_names_of_the_greatest_length_can_be_polled_for(store: PostgresEventStore) -> None:
    """Design 9: what the door lets in, no index refuses; whoever polls so is served, and not counted by `why`."""
    rng = Random(5)
    queue, worker, workflow = ["".join(chr(rng.randrange(0x10000, 0x10FFFF)) for _ in range(255)) for _ in range(3)]
    start = c.Start(**NAME, batch_id="s", workflow=workflow[:253], queue=queue)
    await store.start(start)
    call = c.ClaimRunnable(
        namespace=NAME["namespace"],
        queue=queue,
        workflows=(f"{workflow[:253]}@0",),
        max=1,
        nonce=Nonce("n" * 32),
        owner=worker,
    )

    claims = await store.claim_runnable(call)

    assert [item.head.queue for item in claims.items] == [queue]
    poll = (call.namespace, queue, call.workflows[0], worker)
    await store._database.run(lambda connection: record_polls(connection, (poll,)))


async def test_a_duty_is_taken_once(store: PostgresEventStore) -> None:
    """I54: of many at once, on a row that nobody had made, one takes the term it saw."""
    calls = [c.TakeDuty(name="sweep", owner=f"o{n}", term=0, ttl_ms=60_000) for n in range(8)]

    answers = await asyncio.gather(*map(store.take_duty, calls), return_exceptions=True)

    assert sum(not isinstance(answer, BaseException) for answer in answers) == 1


OTHER: dict[str, Any] = {"namespace": Namespace("n"), "execution_id": ExecutionId("other")}
ADDRESSED: dict[str, Any] = {
    "send": c.Send(**NAME, chain="*", message_id="m", name="news"),
    "cancel": c.Cancel(**NAME, chain="*", batch_id="x"),
    "start": c.Start(**NAME, batch_id="again", workflow="w", if_exists="return"),
    "attach": c.Attach(**OTHER, incarnation="*", batch_id="a", child_key="k", child_id=START.execution_id, chain="*"),
    "send_with_start": c.Send(**NAME, chain="*", message_id="m", name="news", start=c.StartIfAbsent(workflow="w")),
}
"""Calls that name a chain by its id, each made while the link that has the id ends and gives it to the next."""


@pytest.mark.parametrize("name", ADDRESSED)
async def test_a_chain_is_there_while_it_continues(
    database: EventStoreDatabase, patient: PostgresEventStore, name: str
) -> None:
    """Design 2: zero rows after a wait prove nothing; whoever waited for the renaming meets the next link, locked."""
    credential = await claimed(patient)
    await patient.start(c.Start(**OTHER, batch_id="other", workflow="w"))

    async with held(database):
        continuing = asyncio.ensure_future(patient.continue_as_new(continuation(credential)))
        await until_waiting(database)
        addressing = asyncio.ensure_future(getattr(patient, name.partition("_")[0])(ADDRESSED[name]))
        await until_waiting(database, 2)
    following = (await continuing).execution
    await addressing

    assert (await patient.read_head(HEAD)).ref == following
    assert await traces_on(patient) == EXPECTED[name]


def continuation(credential: Credential) -> c.ContinueAsNew:
    """Of the execution, by its owner."""
    return c.ContinueAsNew(**NAME, credential=credential, batch_id="continue")


EXPECTED = {
    "send": ["m"],
    "cancel": ["EXECUTION_CANCEL_REQUESTED"],
    "start": [],
    "attach": ["k"],
    "send_with_start": ["m"],
}


async def traces_on(store: PostgresEventStore) -> list[str]:
    """What a call left on the newest link: messages, events after the first, edges that name it as child."""
    head = await store.read_head(HEAD)
    mail = await store.read_inbox(c.ReadInbox(**NAME))
    log = await store.read_events(c.ReadEvents(**NAME, from_seq=2))
    children = await store.read_children(c.ReadChildren(**OTHER))
    keys = [edge.child_key for edge in children.items if edge.child == head.ref]
    return [*(message.message_id for message in mail.items), *(event.kind for event in log.events), *keys]


async def test_an_outcome_finds_its_edge_while_the_parent_continues(
    database: EventStoreDatabase, patient: PostgresEventStore
) -> None:
    """I41: the child's end addresses its edges by child, and tells the link that has them by then."""
    credential = await claimed(patient)
    child = await patient.start_child(
        c.StartChild(**NAME, credential=credential, batch_id="child", child_key="k", workflow="w", queue="other")
    )

    async with held(database, "edges"):
        continuing = asyncio.ensure_future(patient.continue_as_new(continuation(credential)))
        await until_waiting(database)
        ending = asyncio.ensure_future(patient.terminate(terminated(child)))
        await until_waiting(database, 2)
    following = (await continuing).execution
    await ending

    (edge,) = (await patient.read_children(c.ReadChildren(**NAME))).items
    told = [told.hint for _, told in await patient.read_outbox(0, 100) if isinstance(told.hint, ChildDone)]
    assert (edge.parent, edge.status) == (following, "cancelled")
    assert [hint.parent_incarnation for hint in told] == [following.incarnation]


async def test_a_hint_that_was_refused_so_often_is_read_no_more(store: PostgresEventStore) -> None:
    """Kafka 2.4 point 7, by the application's role: of a row of the outbox it may change just that."""
    for execution in ("a", "b"):
        at = {"namespace": Namespace("shop"), "execution_id": ExecutionId(execution)}
        await store.start(c.Start(**at, batch_id="s", workflow="w", queue="q"))
    (first, _), (second, _) = await store.read_outbox(0, 10)

    assert await store.refuse_outbox((first,), attempts_max=2) == ()
    assert [id for id, _ in await store.read_outbox(0, 10)] == [first, second]
    assert await store.refuse_outbox((first,), attempts_max=2) == (first,)
    assert [id for id, _ in await store.read_outbox(0, 10)] == [second]


def terminated(child: c.ChildStarted) -> c.Terminate:
    """An operator's end of the child."""
    at = child.child
    return c.Terminate(
        namespace=at.namespace,
        execution_id=at.execution_id,
        incarnation=at.incarnation,
        batch_id="end",
        by="terminate",
        reason="enough",
    )


@pytest.mark.parametrize("order", [("attach", "append"), ("append", "attach")])
async def test_an_outcome_and_an_attach_at_once_meet(
    database: EventStoreDatabase, patient: PostgresEventStore, order: tuple[str, str]
) -> None:
    """I41: attach locks the child's head first, so that the end finds the edge, or the edge has the outcome at once."""
    events = (NewEvent(kind="EXECUTION_COMPLETED"),)
    end = c.Append(**NAME, credential=await claimed(patient), batch_id="end", events=events)
    await patient.start(c.Start(**OTHER, batch_id="other", workflow="w"))
    calls, made = {"attach": ADDRESSED["attach"], "append": end}, []

    async with held(database):
        for number, name in enumerate(order, start=1):
            made.append(asyncio.ensure_future(getattr(patient, name)(calls[name])))
            await until_waiting(database, number)
    await asyncio.gather(*made)

    (edge,) = (await patient.read_children(c.ReadChildren(**OTHER))).items
    assert edge.status == "completed"
