"""Random scripts of calls, on memory and on SQLite: the same answers, the same refusals, the same rows."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from fixtures.traces import in_span
from loom.clock import ManualClock
from loom.errors import LoomError
from loom.ids import ANY, Credential, ExecutionId, ExecutionRef, Namespace, Nonce, Sequence, Token
from loom.kernel import calls as c
from loom.kernel.events import NewEvent
from loom.kernel.heads import LIVE, Duty, Head, Status
from loom.kernel.limits import Limits
from loom.kernel.parks import (
    Child,
    ChildWait,
    Group,
    GroupWait,
    Message,
    MessageWait,
    Operator,
    OperatorWait,
    Timer,
    TimerWait,
    Wait,
)
from loom.kernel.raw_json import RawJson, encode
from loom.stores.memory import MemoryEventStore
from loom_event_store.sqlite.statements import QUERIES
from loom_event_store.sqlite.store import SqliteEventStore

SCRIPTS = 25
STEPS = 100
NAMESPACES = tuple(map(Namespace, ("default", "shop")))
IDS = tuple(map(ExecutionId, ("a", "b", "c")))
KEYS = ("k1", "k2", "k3")
ABOUT: tuple[Any, ...] = ("overdue", "satisfied", "cancels", "deadlines", "closes")
PAYLOADS = tuple(map(RawJson, ("null", '"\\u0000\\ud800"', '{"b":1,"a":[1e400]}', "1" * 400)))
LIMITS = Limits(log_events=40, log_reserved=8, inbox_waiting=3, children_open=2, fruitless_claims=3)


class Script:
    """Draws the next call from what its caller has seen, now and then out of date or somebody else's."""

    def __init__(self, seed: int, memory: MemoryEventStore) -> None:
        self.random = Random(seed)
        self._heads = memory.rows.heads
        self.credentials: list[Credential] = []
        self.executions: list[ExecutionRef] = []
        self.duty_term = 0
        self.number = 0

    def next_call(self) -> Any:
        """A call of the port."""
        return self.random.choice(self._calls)()

    def learn(self, answer: Any) -> None:
        """Remember what a caller would."""
        match answer:
            case c.Started(execution=execution):
                self.executions.append(execution)
            case c.ChildStarted(child=child):
                self.executions.append(child)
            case c.Continued(execution=execution):
                self.executions.append(execution)
            case c.Claimed(credential=credential):
                self.credentials.append(credential)
            case c.Claims(items=items):
                self.credentials += [item.credential for item in items]
            case Duty(term=term):
                self.duty_term = term

    @property
    def _calls(self) -> tuple[Callable[[], Any], ...]:
        owners = (self._append, self._park, self._start_child, self._claims)
        others = (self._start, self._resume, self._send, self._continue)
        rest = (self._claim, self._renew, self._release, self._acquire, self._audit, self._batch, self._duty)
        rest += (self._attach, self._attach, self._evict, self._due)
        ends = (self._cancel, self._terminate, self._fail, self._delete, self._pin, self._archived)
        return owners * 8 + others * 5 + rest * 2 + ends

    def _key(self) -> str:
        self.number += 1
        return f"key {self.random.randrange(self.number) if self.random.random() < 0.1 else self.number}"

    def _nonce(self) -> Nonce:
        return Nonce(f"{self.random.randrange(40):032}")

    def _place(self) -> dict[str, Any]:
        """An execution known, its incarnation seldom another's."""
        if not self.executions or self.random.random() < 0.1:
            return {"namespace": NAMESPACES[0], "execution_id": self.random.choice(IDS), "incarnation": ANY}
        execution = self._recent(self.executions)
        seen = self._recent(self.executions).incarnation if self.random.random() < 0.05 else execution.incarnation
        return {"namespace": execution.namespace, "execution_id": execution.execution_id, "incarnation": seen}

    def _recent(self, items: list[Any]) -> Any:
        return items[-1 - min(int(self.random.expovariate(0.5)), len(items) - 1)]

    def _owned(self) -> dict[str, Any]:
        if not self.credentials or self.random.random() < 0.2:
            return self._place()
        credential = self._recent(self.credentials)
        return {
            "namespace": credential.namespace,
            "execution_id": credential.execution_id,
            "credential": credential,
        }

    def _head(self, *statuses: Status) -> Head | None:
        """One of these statuses, if there is one."""
        heads = [head for head in self._heads.values() if head.status in statuses]
        return self.random.choice(heads) if heads and self.random.random() < 0.85 else None

    def _at_park(self) -> dict[str, Any]:
        head = self._head(Status.PARKED)
        if head is None:
            return {**self._place(), "park_seq": Sequence(self.random.randrange(1, 9))}
        park_seq = head.park_seq or Sequence(1)
        return {
            "namespace": head.namespace,
            "execution_id": head.execution_id,
            "incarnation": head.incarnation,
            "park_seq": park_seq if self.random.random() < 0.9 else Sequence(park_seq - 1),
        }

    def _token(self, place: dict[str, Any]) -> Token:
        """The one that is current there, mostly."""
        there = [head.token for head in self._heads.values() if head.execution_id == place["execution_id"]]
        return there[0] if there and self.random.random() < 0.8 else Token(0)

    def _chain(self) -> dict[str, Any]:
        place = self._place()
        return {**{name: place[name] for name in ("namespace", "execution_id")}, "chain": place["incarnation"]}

    def _event(self) -> NewEvent:
        draw = self.random.random()
        if draw < 0.1:
            return NewEvent(kind="MESSAGE_CONSUMED", message_id=f"m{self.random.randrange(12)}", wait="w")
        if draw < 0.2:
            return NewEvent(kind="CHILD_OUTCOME", child_key=self.random.choice(KEYS))
        ends = ("EXECUTION_COMPLETED", "EXECUTION_FAILED")
        kinds = ends if draw < 0.3 else ("note", "STEP_STARTED", "STEP_COMPLETED")
        position = self.random.randrange(50) if draw > 0.8 else None
        return NewEvent(kind=self.random.choice(kinds), payload=self.random.choice(PAYLOADS), position=position)

    def _wait(self, id: str) -> Wait:
        policy = self.random.choice(("all", "any", 1, 2))
        members = tuple(self.random.sample(KEYS, self.random.randint(1, 2)))
        key = self.random.choice((None, "x"))
        return self.random.choice(
            (
                TimerWait(id=id, timer=Timer(delay_ms=self.random.randrange(2_000))),
                ChildWait(id=id, child=Child(key=self.random.choice(KEYS))),
                GroupWait(id=id, group=Group(members=members, policy=policy)),
                MessageWait(id=id, message=Message(name="paid", key=key)),
                OperatorWait(id=id, operator=Operator(reason="blocked")),
            )
        )

    def _start(self) -> Any:
        return c.Start(
            namespace=self.random.choice(NAMESPACES),
            execution_id=self.random.choice(IDS),
            batch_id=self._key(),
            workflow=self.random.choice(("w", "v")),
            queue=self.random.choice(("default", "default", None)),
            input=self.random.choice(PAYLOADS),
            if_exists=self.random.choice(("raise", "return")),
            recreate=self.random.random() < 0.5,
            delay_ms=self.random.choice((None, None, 500)),
            timeout_ms=self.random.choice((None, 3_000)),
        )

    def _start_child(self) -> Any:
        return c.StartChild(
            **self._owned(),
            batch_id=self._key(),
            child_key=self.random.choice(KEYS),
            workflow="w",
            queue="default",
            close=self.random.choice(("terminate", "cancel", "abandon")),
            scope=self.random.choice(("run", "chain", "chain")),
        )

    def _attach(self) -> Any:
        """To anything there is: ended links, tombstones and itself too."""
        owned = self._owned()
        child = self.random.choice(list(self._heads.values())).execution_id if self._heads else IDS[0]
        chain = self._chain()["chain"] if self.random.random() < 0.3 else ANY
        return c.Attach(**owned, batch_id=self._key(), child_key=self.random.choice(KEYS), child_id=child, chain=chain)

    def _continue(self) -> Any:
        workflow = self.random.choice((None, None, "v"))
        return c.ContinueAsNew(
            **self._owned(), batch_id=self._key(), input=self.random.choice(PAYLOADS), workflow=workflow
        )

    def _due(self) -> Any:
        return c.ListDue(about=self.random.choice(ABOUT), limit=self.random.choice((1, 500)))

    def _evict(self) -> Any:
        head = self._head(Status.RUNNING)
        if head is None:
            place = self._place()
            return c.Evict(**place, token=self._token(place))
        at = {"namespace": head.namespace, "execution_id": head.execution_id, "incarnation": head.incarnation}
        return c.Evict(**at, token=head.token if self.random.random() < 0.9 else Token(0), reason="why not")

    def _append(self) -> Any:
        events = tuple(self._event() for _ in range(self.random.randint(1, 2)))
        release = (self.random.choice(KEYS),) if self.random.random() < 0.2 else ()
        return c.Append(**self._owned(), batch_id=self._key(), events=events, release=release)

    def _batch(self) -> Any:
        """Some of one namespace: by the newest grant, or as their single writer."""
        namespace = self.random.choice(NAMESPACES)
        grants = {of.execution_id: of for of in self.credentials if of.namespace == namespace}
        items = tuple(
            c.AppendItem(
                execution_id=head.execution_id,
                credential=None if head.single_writer else grants.get(head.execution_id),
                incarnation=head.incarnation,
                events=(NewEvent(kind="note"), self._event()),
            )
            for head in self._heads.values()
            if head.namespace == namespace and head.status in LIVE and self.random.random() < 0.5
        )
        return c.AppendBatch(namespace=namespace, batch_id=self._key(), items=items)

    def _park(self) -> Any:
        waits = tuple(self._wait(f"w{number}") for number in range(self.random.randint(1, 2)))
        return c.Park(**self._owned(), batch_id=self._key(), waits=waits)

    def _resume(self) -> Any:
        place = self._at_park()
        head = self._head(Status.PARKED)
        known = [wait.id for wait in head.waits] if head else []
        ended = [key for key in KEYS if self.random.random() < 0.4]
        return c.Resume(**place, wait=self.random.choice((None, "w0", "w1", *known)), keys=tuple(ended))

    def _claims(self) -> Any:
        return c.ClaimRunnable(
            namespace=self.random.choice(NAMESPACES),
            queue="default",
            workflows=self.random.choice((("w@0",), ("w@0", "v@0"))),
            max=self.random.randint(1, 3),
            nonce=self._nonce(),
            owner="me",
            ttl_ms=self.random.choice((500, 20_000)),
        )

    def _claim(self) -> Any:
        place = self._place()
        return c.Claim(**place, token=self._token(place), nonce=self._nonce(), owner="me", ttl_ms=1_000)

    def _acquire(self) -> Any:
        place = self._at_park()
        return c.AcquireIfParked(**place, token=self._token(place), nonce=self._nonce(), owner="me", ttl_ms=1_000)

    def _renew(self) -> Any:
        owned = self._owned()
        return c.Renew(**owned, ttl_ms=2_000) if "credential" in owned else self._append()

    def _release(self) -> Any:
        owned = self._owned()
        delay_ms = self.random.choice((None, 500))
        return c.Release(**owned, delay_ms=delay_ms) if "credential" in owned else self._append()

    def _audit(self) -> Any:
        return c.AppendIfUnchanged(**self._place(), kind=self.random.choice(("ANNOTATED", "OUTCOME_RECORDED")))

    def _send(self) -> Any:
        sender = self._recent(self.credentials) if self.credentials and self.random.random() < 0.3 else None
        return c.Send(
            **self._chain(),
            message_id=f"m{self.random.randrange(12)}",
            name=self.random.choice(("paid", "paid", "other")),
            key=self.random.choice((None, "x", "y")),
            payload=self.random.choice(PAYLOADS),
            sender=sender,
            start=c.StartIfAbsent(workflow="w", queue="default") if self.random.random() < 0.2 else None,
        )

    def _cancel(self) -> Any:
        by = self.random.choice(("request", "request", "deadline"))
        return c.Cancel(**self._chain(), by=by, deadline_ms=self.random.choice((None, 1_000)), batch_id=self._key())

    def _terminate(self) -> Any:
        cancel_seq = self.random.choice((None, Sequence(self.random.randrange(9))))
        return c.Terminate(**self._place(), cancel_seq=cancel_seq, by=self.random.choice(("terminate", "parent")))

    def _fail(self) -> Any:
        return c.Fail(**self._place(), failure=RawJson('{"type":"E","message":"m","details":null,"traceback":""}'))

    def _delete(self) -> Any:
        return c.Delete(**self._place())

    def _pin(self) -> Any:
        owner = self.random.choice(("me", "you"))
        if self.random.random() < 0.5:
            return c.RemovePin(**self._place(), owner=owner)
        return c.SetPin(**self._place(), owner=owner, reason="why not", ttl_ms=self.random.choice((None, 1_000)))

    def _archived(self) -> Any:
        return c.MarkArchived(**self._place(), seq=Sequence(self.random.randrange(6)))

    def _duty(self) -> Any:
        owner = self.random.choice(("me", "you"))
        term = self.duty_term - (self.random.random() < 0.2 and self.duty_term > 0)
        if self.random.random() < 0.3:
            return c.GiveUpDuty(name="relay", owner=owner, term=term)
        return c.TakeDuty(name="relay", owner=owner, term=term, ttl_ms=1_000, ran=self.random.random() < 0.5)


Body = MemoryEventStore | SqliteEventStore

_METHODS = {
    c.Start: "start",
    c.StartChild: "start_child",
    c.Attach: "attach",
    c.ContinueAsNew: "continue_as_new",
    c.Evict: "evict",
    c.ListDue: "list_due",
    c.Append: "append",
    c.AppendBatch: "append_batch",
    c.AppendIfUnchanged: "append_if_unchanged",
    c.Claim: "claim",
    c.ClaimRunnable: "claim_runnable",
    c.Renew: "renew",
    c.Release: "release",
    c.Park: "park",
    c.Resume: "resume",
    c.AcquireIfParked: "acquire_if_parked",
    c.Send: "send",
    c.Cancel: "cancel",
    c.Terminate: "terminate",
    c.Fail: "fail",
    c.Delete: "delete",
    c.SetPin: "set_pin",
    c.RemovePin: "remove_pin",
    c.MarkArchived: "mark_archived",
    c.TakeDuty: "take_duty",
    c.GiveUpDuty: "give_up_duty",
}


async def _outcome(answer: Awaitable[Any]) -> Any:
    try:
        return await answer
    except LoomError as error:
        return (type(error).__name__, error.detail, error.facts)


def _written(outcome: Any) -> Any:
    return outcome if isinstance(outcome, tuple) else encode(outcome)


async def _rows(store: Body) -> list[Any]:
    """All that can be read of a store."""
    found: list[Any] = [encode(await store.list_namespaces(c.ListNamespaces()))]
    for namespace in NAMESPACES:
        found.append((await store.count_executions(c.CountExecutions(namespace=namespace))).counts)
        heads = (await store.list_executions(c.ListExecutions(namespace=namespace))).items
        found.append(encode(heads))
        for head in heads:
            found += await _rows_of(store, {"namespace": namespace, "execution_id": head.execution_id})
    for about in ABOUT:
        found.append((about, encode(await store.list_due(c.ListDue(about=about)))))
    found.append(encode(await store.read_duty(c.ReadDuty(name="relay"))))
    told = [envelope for _, envelope in await store.read_outbox(0, 10_000)]
    found.append([(envelope.hint, envelope.traceparent) for envelope in told])
    info = await store.read_store(c.ReadStore())
    found.append(encode(replace(info, schema_version=1)))  # each body's own
    return found


async def _rows_of(store: Body, place: dict[str, Any]) -> list[Any]:
    log = await store.read_events(c.ReadEvents(**place))
    others = (
        store.read_park(c.ReadPark(**place)),
        store.read_inbox(c.ReadInbox(**place)),
        store.read_inbox(c.ReadInbox(**place, name="paid", key="x", after=1, limit=2)),
        store.read_children(c.ReadChildren(**place)),
        store.read_children(c.ReadChildren(**place, after="k1", limit=1)),
        store.read_pins(c.ReadPins(**place)),
        store.read_why(c.ReadWhy(**place)),
    )
    return [log, *[_written(await _outcome(other)) for other in others], await _ownership(store, place)]


async def _ownership(store: Body, place: dict[str, Any]) -> Any:
    """Refusals of one millisecond have no order."""
    met = await _outcome(store.read_ownership(c.ReadOwnership(**place)))
    if isinstance(met, c.Ownership):
        by_instant = sorted(met.refusals, key=lambda row: (row.last_at, row.token, row.surface))
        return replace(met, refusals=tuple(by_instant))
    return met


async def _why_differs(seed: int, path: Path) -> str | None:
    """What the bodies say differently under this script, with the calls that led there; or None."""
    clock = ManualClock()
    memory = MemoryEventStore(clock, limits=LIMITS, rng=Random(seed))
    sqlite = SqliteEventStore.open(path, clock=clock, limits=LIMITS, rng=Random(seed))
    script = Script(seed, memory)
    trail: list[str] = []
    try:
        for step in range(STEPS):
            call = script.next_call()
            with in_span(step):
                expected = await _outcome(getattr(memory, _METHODS[type(call)])(call))
                met = await _outcome(getattr(sqlite, _METHODS[type(call)])(call))
            trail.append(f"{call}\n  memory {expected}\n  sqlite {met}")
            if _written(met) != _written(expected):
                return "\n".join(trail[-5:])
            script.learn(expected)
            clock.advance(script.random.choice((0, 1, 100, 400)))
        pairs = zip(await _rows(memory), await _rows(sqlite), strict=True)
        return next((f"memory {row}\nsqlite {other}" for row, other in pairs if row != other), None)
    finally:
        sqlite.close()


@pytest.mark.parametrize("seed", range(SCRIPTS))
async def test_sqlite_answers_as_memory_does(seed: int, tmp_path: Path):
    """Design 3: memory is the oracle; random operation scripts hold all bodies equal."""
    assert await _why_differs(seed, tmp_path / "a.db") is None


@pytest.mark.parametrize(
    ("query", "right", "wrong"),
    [
        ("oldest_message", "ORDER BY inbox_seq", "ORDER BY inbox_seq DESC"),
        ("has_outcomes", "edges.status <> 'open'", "1"),
        ("claim_runnable", "ORDER BY status_at", "ORDER BY created_at"),
        ("event_of_batch", "batch_id = :batch_id", "batch_id = :batch_id || 'x'"),
        ("move_edge", "incarnation = :to", "incarnation = :parent_incarnation"),
        ("move_messages", "consumed_at IS NULL OR ", ""),
        ("due_closes", "edges.close <> 'abandon'", "edges.close = 'cancel'"),
        ("terminal_event", "SELECT *", "SELECT 'null' AS payload, *"),
        ("write_event", ":traceparent", "NULL"),
        ("write_hint", ":traceparent", "NULL"),
        ("write_head", "traceparent = excluded.traceparent", "traceparent = heads.traceparent"),
        ("edges_of_child", "edges.child_id = :execution_id", "edges.child_id < :execution_id"),
    ],
)
async def test_a_query_that_means_something_else_is_told(
    query: str, right: str, wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The negative control: each of these faults makes some script differ."""
    assert right in QUERIES[query]
    monkeypatch.setitem(QUERIES, query, QUERIES[query].replace(right, wrong))

    for seed in range(4 * SCRIPTS):
        if await _why_differs(seed, tmp_path / f"{seed}.db"):
            return
    pytest.fail(f"no script noticed the fault in {query}")


async def test_the_scripts_reach_every_status_and_most_answers(tmp_path: Path):
    """The negative control of the comparison: scripts that only met refusals would prove nothing."""
    statuses: set[Status] = set()
    answered: set[type] = set()
    for seed in range(SCRIPTS):
        clock = ManualClock()
        memory = MemoryEventStore(clock, limits=LIMITS, rng=Random(seed))
        script = Script(seed, memory)
        for _ in range(STEPS):
            call = script.next_call()
            outcome = await _outcome(getattr(memory, _METHODS[type(call)])(call))
            if not isinstance(outcome, tuple):
                answered.add(type(call))
            script.learn(outcome)
            clock.advance(script.random.choice((0, 1, 100, 400)))
            statuses |= {head.status for head in memory.rows.heads.values()}

    assert statuses == set(Status)
    assert answered == set(_METHODS)
