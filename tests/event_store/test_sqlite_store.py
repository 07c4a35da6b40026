"""The event store in one file that many processes share."""

from __future__ import annotations

import asyncio
import multiprocessing
import re
import sqlite3
import time
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

from event_store.sharing import append_for_ever, claim_all
from loom.clock import ManualClock
from loom.errors import Busy, NotYet, ResumeContended, Stale
from loom.ids import Credential, ExecutionId, Incarnation, Namespace, Nonce, Sequence, Token
from loom.kernel import calls as c
from loom.kernel.events import NewEvent
from loom.kernel.kinds import TERMINAL_KINDS
from loom.kernel.parks import Timer, TimerWait
from loom.stores import event_store as ports
from loom_event_store.sqlite.statements import QUERIES
from loom_event_store.sqlite.store import SqliteEventStore
from loom_event_store.tallies import Paces

NAMESPACE = Namespace("default")
NONCE = Nonce("0123456789abcdef0123456789abcdef")
OTHER_NONCE = Nonce("fedcba9876543210fedcba9876543210")
DAY_MS = 24 * 3600 * 1000

DESIGN = {
    "heads": "head namespace execution_id incarnation chain link single_writer token grant_hash owner lease_until "
    "status last_seq last_position park_seq waits wake_at unknown_tail workflow code_version queue not_before "
    "deadline_at parent_head parent_incarnation parent_key root cancel_requested_at cancel_seq cancel_deadline "
    "fruitless_claims archived_seq log_bytes created_at status_at ended_at ending result_digest traceparent",
    "events": "head seq kind payload position fence kernel actor answers_park batch_id batch_digest traceparent "
    "recorded_at",
    "edges": "edge parent_head parent_incarnation child_key child_namespace child_id child_incarnation status outcome "
    "close scope released consumed_at_seq",
    "inbox": "head message_id inbox_seq name key payload sender consumed_at_seq",
    "metas": "head bytes version name tags",
    "blobs": "head ref bytes",
    "outbox": "id head topic key body traceparent created_at attempts dead_at",
    "pins": "owner reason expiry",
    "grants": "head token rule owner at",
    "refusals": "head token surface code current_token count first_at last_at",
    "duties": "name owner term until last_run",
    "store": "epoch features schema_version",
    "namespaces": "name limits paused",
    "queues": "namespace name paused",
    "polls": "namespace queue workflow worker seen_at",
}
"""Tables and their columns."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the store will be."""
    return tmp_path / "event-store.db"


@pytest.fixture
def clock() -> ManualClock:
    """The store's wall clock."""
    return ManualClock(100 * DAY_MS)


@pytest.fixture
def store(path: Path, clock: ManualClock) -> Iterator[SqliteEventStore]:
    """A store of this process."""
    store = SqliteEventStore.open(path, clock=clock, busy_ms=300)
    yield store
    store.close()


async def _started(store: SqliteEventStore, execution_id: str = "a", queue: str | None = "default") -> c.Started:
    return await store.start(
        c.Start(
            namespace=NAMESPACE,
            execution_id=ExecutionId(execution_id),
            batch_id=f"start {execution_id}",
            workflow="w",
            queue=queue,
        )
    )


def _claims(nonce: Nonce = NONCE, ttl_ms: int = 10_000, max: int = 10) -> c.ClaimRunnable:
    return c.ClaimRunnable(
        namespace=NAMESPACE, queue="default", workflows=("w@0",), max=max, nonce=nonce, owner="me", ttl_ms=ttl_ms
    )


async def _claimed(store: SqliteEventStore, nonce: Nonce = NONCE, ttl_ms: int = 10_000) -> Credential:
    claims = await store.claim_runnable(_claims(nonce, ttl_ms))
    assert len(claims.items) == 1
    return claims.items[0].credential


def _append(credential: Credential, batch_id: str, kind: str = "note") -> c.Append:
    return c.Append(
        namespace=credential.namespace,
        execution_id=credential.execution_id,
        credential=credential,
        batch_id=batch_id,
        events=(NewEvent(kind=kind),),
    )


def _park(credential: Credential, delay_ms: int) -> c.Park:
    return c.Park(
        namespace=credential.namespace,
        execution_id=credential.execution_id,
        credential=credential,
        batch_id="park",
        waits=(TimerWait(id="sleep", timer=Timer(delay_ms=delay_ms)),),
    )


def _resume(credential: Credential, park_seq: Sequence) -> c.Resume:
    return c.Resume(
        namespace=credential.namespace,
        execution_id=credential.execution_id,
        incarnation=credential.incarnation,
        park_seq=park_seq,
        wait="sleep",
    )


def _locked(path: Path) -> sqlite3.Connection:
    rival = sqlite3.connect(path, isolation_level=None)
    rival.execute("BEGIN IMMEDIATE")
    return rival


def test_it_offers_every_port(store: SqliteEventStore):
    """Design 3: every body decides every method of the port."""
    for port in (ports.EventStore, ports.Outbox, ports.TestHook):
        methods = [name for name in vars(port) if not name.startswith("_")]

        assert [name for name in methods if not callable(getattr(store, name, None))] == []


def test_the_schema_has_every_table_and_column_of_the_design(path: Path, store: SqliteEventStore):
    """Design 2: all of them exist from the start."""
    connection = sqlite3.connect(path)

    for table, columns in DESIGN.items():
        there = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
        assert set(columns.split()) - there == set(), table
    connection.close()


def test_the_index_on_ends_names_the_terminal_kinds(path: Path, store: SqliteEventStore):
    """I6: at most one terminal event per incarnation, by the index too."""
    connection = sqlite3.connect(path)
    (sql,) = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'events_end_once'").fetchone()
    connection.close()

    assert set(re.findall(r"'(\w+)'", sql)) == set(TERMINAL_KINDS)


def test_every_query_is_used_and_every_one_used_is_there():
    """D, SQL: one statement a file, none left over."""
    package = files("loom_event_store.sqlite")
    texts = [entry.read_text() for entry in package.iterdir() if entry.name.endswith(".py")]
    used = set(re.findall(r'"([a-z_]+)"', "".join(texts)))
    derived = {f"due_{about}" for about in ("overdue", "satisfied", "cancels", "deadlines", "closes")} | {
        f"remove_{table}" for table in re.findall(r'"([a-z]+)"', "".join(texts))
    }

    assert set(QUERIES) - used - derived == set()
    assert all(sqlite3.complete_statement(text) for text in QUERIES.values())


def test_nothing_reads_a_whole_table_that_grows(path: Path, store: SqliteEventStore):
    """Design 2, 4: claims, sweeps and guards go by an index; `store` has one row, `polls` forgets, and the index of
    edges to be closed holds the open ones alone."""
    connection = sqlite3.connect(path)

    for name, query in QUERIES.items():
        parameters = dict.fromkeys(re.findall(r":(\w+)", re.sub(r"--.*|'[^']*'", "", query)), 1)
        plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {query}", parameters)]
        scans = {step for step in plan if step.startswith("SCAN")}
        scans -= {"SCAN edges USING COVERING INDEX edges_closing"}
        assert scans <= {
            "SCAN store",
            "SCAN pragma_user_version VIRTUAL TABLE INDEX 0:",
            "SCAN polls",
            "SCAN nodes",  # a row a process
            "SCAN names",
            "SCAN CONSTANT ROW",
            *_scans_of_json(scans),
        }, name
    connection.close()


def _scans_of_json(scans: set[str]) -> set[str]:
    return {step for step in scans if step.startswith("SCAN json_each")}


def test_a_head_is_written_whole():
    """I8: whichever statement writes it, no column is left as it was."""
    columns = set(DESIGN["heads"].split())

    for query in ("move_head", "write_head"):
        assert set(re.findall(r":(\w+)", QUERIES[query])) == columns


async def test_a_log_in_the_file_is_never_rewritten(path: Path, store: SqliteEventStore):
    """I4, I9: the index refuses a second event of a sequence and a second answer of a park, whoever decided it."""
    await _started(store)
    credential = await _claimed(store)
    parked = await store.park(_park(credential, 0))
    await store.resume(_resume(credential, parked.park_seq))
    connection = sqlite3.connect(path, isolation_level=None)

    for seq, answers_park in ((1, None), (9, parked.park_seq)):
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute(
                "INSERT INTO events (head, seq, kind, payload, fence, kernel, answers_park, recorded_at)"
                " VALUES (1, ?, 'note', 'null', 0, 0, ?, 0)",
                (seq, answers_park),
            )
    connection.close()


async def test_a_write_behind_a_foreign_lock_is_busy_and_a_resume_contended(path: Path, store: SqliteEventStore):
    """Design 2: a lock time-out is `resume-contended` on a resume, else `busy`; within the bound and a second."""
    await _started(store)
    credential = await _claimed(store)
    parked = await store.park(_park(credential, 0))
    rival = _locked(path)

    for write, error in (
        (store.append(_append(credential, "late")), Busy),
        (_resumed(store, credential, parked), ResumeContended),
    ):
        began = time.monotonic()
        with pytest.raises(error):
            await write
        assert time.monotonic() - began < 1.3
    head = await store.read_head(c.ReadHead(namespace=NAMESPACE, execution_id=credential.execution_id))
    rival.execute("ROLLBACK")
    rival.close()

    assert head.park_seq == parked.park_seq
    await _resumed(store, credential, parked)


async def _resumed(store: SqliteEventStore, credential: Credential, parked: c.Parked) -> c.Resumed:
    return await store.resume(_resume(credential, parked.park_seq))


async def test_a_poll_that_finds_nothing_waits_for_no_lock(path: Path, store: SqliteEventStore):
    """Held polls look again and again: what is not runnable costs no lock, and not even a foreign one matters."""
    await store.claim_runnable(_claims())
    rival = _locked(path)

    began = time.monotonic()
    claims = await store.claim_runnable(_claims())
    waited = time.monotonic() - began
    rival.close()

    assert claims.items == ()
    assert waited < 0.2


async def test_a_cancelled_call_has_happened_whole_or_not_at_all(store: SqliteEventStore):
    """Design 3: never cancel a commit; an unknown outcome is settled by asking again, with the same key."""
    await _started(store)
    credential = await _claimed(store)
    for number in range(40):
        call = _append(credential, f"batch {number}")
        write = asyncio.create_task(store.append(call))
        for _ in range(number % 4):
            await asyncio.sleep(0)
        write.cancel()
        await asyncio.gather(write, return_exceptions=True)
        if number % 2:
            await store.append(call)

    log = await store.read_events(c.ReadEvents(namespace=NAMESPACE, execution_id=credential.execution_id))

    assert [event.seq for event in log.events] == list(range(1, log.last_seq + 1))
    assert len({event.batch_id for event in log.events}) == len(log.events)
    assert {f"batch {number}" for number in range(1, 40, 2)} <= {event.batch_id for event in log.events}


async def test_leases_end_and_nothing_fires_twice_when_the_clock_is_a_day_back(path: Path, clock: ManualClock):
    """I26: the file opened again by a host whose clock is a day behind."""
    store = SqliteEventStore.open(path, clock=clock)
    await _started(store, "sleeper")
    sleeper = await _claimed(store)
    parked = await store.park(_park(sleeper, 5_000))
    clock.advance(5_000)
    await store.resume(_resume(sleeper, parked.park_seq))
    owner = await _claimed(store, OTHER_NONCE, ttl_ms=10_000)
    store.close()

    clock.advance(-DAY_MS)
    store = SqliteEventStore.open(path, clock=clock)
    held = await store.claim_runnable(_claims())
    due = await store.list_due(c.ListDue(about="overdue"))
    appended = await store.append(_append(owner, "still mine"))
    clock.advance(10_000)
    with pytest.raises(Stale):
        await store.append(_append(owner, "too late"))
    clock.advance(DAY_MS // 2)
    successor = await _claimed(store)
    log = await store.read_events(c.ReadEvents(namespace=NAMESPACE, execution_id=owner.execution_id))
    store.close()

    assert (held.items, due.items) == ((), ())
    assert appended.last_seq == log.last_seq
    assert successor.token > owner.token
    instants = [event.recorded_at for event in log.events]
    assert instants == sorted(instants)


async def test_a_timer_set_before_the_clock_fell_is_not_early(path: Path, clock: ManualClock):
    """I26, I36: time goes on from the greatest value seen: neither early nor a day late."""
    store = SqliteEventStore.open(path, clock=clock)
    await _started(store)
    credential = await _claimed(store)
    parked = await store.park(_park(credential, 5_000))
    store.close()

    clock.advance(-DAY_MS)
    store = SqliteEventStore.open(path, clock=clock)
    clock.advance(4_999)
    with pytest.raises(NotYet):
        await store.resume(_resume(credential, parked.park_seq))
    clock.advance(1)
    resumed = await store.resume(_resume(credential, parked.park_seq))
    store.close()

    assert resumed.resumed_seq == parked.park_seq + 1


async def test_refused_writes_are_recorded_once_a_second_and_counted_all(path: Path, store: SqliteEventStore):
    """Design 2: refusals are written best effort; what this process counted is shown before it is recorded."""
    await _started(store)
    credential = await _claimed(store, ttl_ms=1_000)
    late = Credential(
        namespace=credential.namespace,
        execution_id=credential.execution_id,
        incarnation=credential.incarnation,
        token=credential.token,
        nonce=OTHER_NONCE,
    )

    for number in range(5):
        with pytest.raises(Stale):
            await store.append(_append(late, f"late {number}"))
    (shown,) = (await _ownership(store, late)).refusals
    rival = SqliteEventStore.open(path)
    (recorded,) = (await _ownership(rival, late)).refusals
    rival.close()

    assert (shown.token, shown.surface, shown.code, shown.count) == (late.token, "events", "stale", 5)
    assert recorded.count == 1


async def test_a_refusal_behind_a_lock_is_told_at_once_and_counted_later(
    path: Path, store: SqliteEventStore, monkeypatch: pytest.MonkeyPatch
):
    """Best effort: the refusal never fails or waits for want of its record, and no count is lost."""
    await _started(store)
    credential = await _claimed(store)
    await store.release(c.Release(namespace=NAMESPACE, execution_id=credential.execution_id, credential=credential))
    monkeypatch.setattr(Paces, "take", lambda self, key: True)
    decide = store._decide
    rivals: list[sqlite3.Connection] = []

    async def decide_and_lose_the_lock(call):
        decision = await decide(call)
        rivals.append(_locked(path))
        return decision

    monkeypatch.setattr(store, "_decide", decide_and_lose_the_lock)
    began = time.monotonic()
    with pytest.raises(Stale):
        await store.append(_append(credential, "late 1"))
    waited = time.monotonic() - began
    await asyncio.gather(*store._records)
    rivals.pop().close()
    monkeypatch.setattr(store, "_decide", decide)
    with pytest.raises(Stale):
        await store.append(_append(credential, "late 2"))
    rival = SqliteEventStore.open(path)
    (recorded,) = (await _ownership(rival, credential)).refusals
    rival.close()

    assert waited < 0.3
    assert recorded.count == 2


async def test_numbers_that_no_column_holds_are_refused_like_any_other(store: SqliteEventStore):
    """Never a driver's error: a credential of an incarnation that cannot be is stale."""
    await _started(store)
    forged = Credential(
        namespace=NAMESPACE,
        execution_id=ExecutionId("a"),
        incarnation=Incarnation(2**70),
        token=Token(2**80),
        nonce=NONCE,
    )

    with pytest.raises(Stale):
        await store.append(_append(forged, "forged"))


async def _ownership(store: SqliteEventStore, credential: Credential) -> c.Ownership:
    return await store.read_ownership(
        c.ReadOwnership(namespace=credential.namespace, execution_id=credential.execution_id)
    )


async def test_grants_and_refusals_keep_the_newest_thousand(
    path: Path, store: SqliteEventStore, monkeypatch: pytest.MonkeyPatch
):
    """Design 2: of a living execution; here three."""
    monkeypatch.setattr("loom_event_store.sqlite.writes.ROWS_KEPT", 3)
    monkeypatch.setattr("loom_event_store.sqlite.tallies.ROWS_KEPT", 3)
    monkeypatch.setattr(Paces, "take", lambda self, key: True)
    await _started(store)
    for _ in range(5):
        credential = await _claimed(store)
        await store.release(c.Release(namespace=NAMESPACE, execution_id=credential.execution_id, credential=credential))
        with pytest.raises(Stale):
            await store.append(_append(credential, "late"))

    ownership = await _ownership(store, credential)

    assert [grant.token.counter for grant in ownership.grants] == [3, 4, 5]
    assert [refusal.token.counter for refusal in ownership.refusals] == [3, 4, 5]


async def test_polls_are_dated_at_most_once_a_second(path: Path, store: SqliteEventStore):
    """Design 2: best effort; the row says who polls which queue for which workflow."""
    await store.claim_runnable(_claims())
    connection = sqlite3.connect(path)
    first = connection.execute("SELECT * FROM polls").fetchall()
    writes = connection.execute("PRAGMA data_version").fetchone()
    for _ in range(3):
        await store.claim_runnable(_claims())
    again = connection.execute("PRAGMA data_version").fetchone()
    connection.close()

    assert first == [("default", "default", "w@0", "me", 100 * DAY_MS)]
    assert writes == again


async def test_a_hint_that_was_refused_so_often_is_read_no_more(store: SqliteEventStore):
    """Kafka 2.4 point 7."""
    await _started(store, "a")
    await _started(store, "b")
    (first, _), (second, _) = await store.read_outbox(0, 10)

    assert await store.refuse_outbox((first,), attempts_max=2) == ()
    assert [id for id, _ in await store.read_outbox(0, 10)] == [first, second]
    assert await store.refuse_outbox((first,), attempts_max=2) == (first,)
    assert [id for id, _ in await store.read_outbox(0, 10)] == [second]
    await store.delete_outbox((second,))


async def test_an_outbox_row_goes_by_its_id_and_its_id_is_never_given_again(store: SqliteEventStore):
    """I43: a late acknowledgement removes nothing new."""
    await _started(store, "a")
    ((first, one),) = await store.read_outbox(0, 10)
    await store.delete_outbox((first,))
    await _started(store, "b")
    ((second, other),) = await store.read_outbox(0, 10)

    assert (one.hint.execution, other.hint.execution) == ("a", "b")
    assert second > first
    assert await store.read_outbox(second, 10) == ()


async def test_sweeps_are_paged_by_cursor(store: SqliteEventStore, clock: ManualClock):
    """Design 4: a page at a time, each finding once."""
    for number in range(5):
        await _started(store, f"e{number}")
    for claimed in (await store.claim_runnable(_claims())).items:
        await store.park(_park(claimed.credential, 1_000))
    clock.advance(1_000)
    found: list[str] = []
    cursor = None
    while True:
        page = await store.list_due(c.ListDue(about="overdue", cursor=cursor, limit=2))
        found += [due.execution.execution_id for due in page.items]
        cursor = page.cursor
        if cursor is None:
            break

    assert found == [f"e{number}" for number in range(5)]


def test_two_processes_never_both_claim_one_execution(path: Path):
    """I20, I24: one file, four processes that claim what 60 executions there are: each is claimed once."""
    asyncio.run(_start_many(path, 60))
    context = multiprocessing.get_context("spawn")
    gate, claims = context.Barrier(4), context.Queue()
    processes = [context.Process(target=claim_all, args=(path, gate, claims)) for _ in range(4)]
    for process in processes:
        process.start()
    claimed = [claims.get(timeout=60) for _ in processes]
    for process in processes:
        process.join(60)

    assert sorted(name for names in claimed for name in names) == sorted(f"e{number}" for number in range(60))
    assert [process.exitcode for process in processes] == [0] * 4


async def _start_many(path: Path, count: int) -> None:
    store = SqliteEventStore.open(path)
    for number in range(count):
        await _started(store, f"e{number}")
    store.close()


async def test_what_was_acknowledged_survives_sigkill(path: Path):
    """I60: a process killed in mid-stream loses nothing that it had told anybody."""
    context = multiprocessing.get_context("spawn")
    mine, theirs = context.Pipe(duplex=False)
    process = context.Process(target=append_for_ever, args=(path, theirs))
    process.start()
    theirs.close()
    acknowledged = [mine.recv() for _ in range(200)]
    process.kill()
    process.join()
    while True:
        try:
            acknowledged.append(mine.recv())
        except (EOFError, OSError):
            break

    store = SqliteEventStore.open(path)
    log = await store.read_events(c.ReadEvents(namespace=NAMESPACE, execution_id=ExecutionId("a")))
    store.close()

    seqs = [event.seq for event in log.events]
    assert process.exitcode == -9
    assert seqs == list(range(1, log.last_seq + 1))
    assert set(acknowledged) <= set(seqs)
