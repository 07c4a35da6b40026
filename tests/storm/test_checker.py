from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from event_store.schedules.tables import Tables, from_memory
from loom.clock import ManualClock
from loom.errors import LoomError, StoreUnavailable
from loom.ids import Chain, Credential, ExecutionId, Incarnation, Instant, Namespace, Nonce, Sequence, Token
from loom.kernel import calls as c
from loom.kernel.events import Event, NewEvent
from loom.kernel.heads import GrantRow, Status
from loom.kernel.parks import Child, ChildWait, Message, MessageWait, Wait
from loom.kernel.raw_json import RawJson
from loom.stores.memory import MemoryEventStore
from storm.checker import CHECKS, LOCK_WAIT_MS, check
from storm.history import Operation, Record, RecordingStore, read_histories

AT = {"namespace": Namespace("default"), "execution_id": ExecutionId("parent")}
TTL_MS = 2_000


class LosesAnswers:
    """Does what it is told; of what stands in `lost` nobody hears, and what is `unheard` never arrives."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self.lost: tuple[str, ...] = ()
        self.unheard: tuple[str, ...] = ()

    def __getattr__(self, name: str) -> Any:
        act = getattr(self._store, name)

        async def call(call: Any) -> Any:
            if getattr(call, "batch_id", None) in self.unheard:
                raise StoreUnavailable("nobody is there")
            answer = await act(call)
            if getattr(call, "batch_id", None) in self.lost:
                raise StoreUnavailable("the answer was lost")
            return answer

        return call


@dataclass
class Play:
    """Two workers, a client and an unrecorded supervisor, on one store in memory."""

    folder: Path

    def __post_init__(self) -> None:
        self.clock = ManualClock()
        self.memory = MemoryEventStore(self.clock)
        self.faulty = LosesAnswers(self.memory)
        self.nonces = 0
        self.records: list[Record] = []

    def client(self, name: str) -> RecordingStore:
        self.records.append(Record(self.folder / f"{name}.jsonl"))
        return RecordingStore(self.faulty, self.records[-1])

    async def claim(self, store: RecordingStore, execution_id: str, owner: str) -> Credential:
        head = await store.read_head(c.ReadHead(namespace=AT["namespace"], execution_id=ExecutionId(execution_id)))
        self.nonces += 1
        call = c.ClaimRunnable(
            namespace=AT["namespace"],
            queue="default",
            workflows=(f"{head.workflow}@0",),
            max=1,
            nonce=Nonce(f"{self.nonces:032}"),
            owner=owner,
            ttl_ms=TTL_MS,
        )
        credential: Credential = (await store.claim_runnable(call)).items[0].credential
        assert credential.execution_id == execution_id
        return credential

    async def append(self, store: RecordingStore, own: Credential, key: str, *events: NewEvent) -> c.Appended:
        call = c.Append(
            namespace=own.namespace, execution_id=own.execution_id, credential=own, batch_id=key, events=events
        )
        answer: c.Appended = await store.append(call)
        return answer

    async def park(self, store: RecordingStore, own: Credential, key: str, *waits: Wait) -> c.Parked:
        answer: c.Parked = await store.park(c.Park(**AT, credential=own, batch_id=key, waits=waits))
        return answer

    async def resume(self, parked: c.Parked, incarnation: Incarnation) -> None:
        await self.memory.resume(
            c.Resume(**AT, incarnation=incarnation, park_seq=parked.park_seq, wait="child", keys=("k",))
        )


def event(kind: str, value: Any) -> NewEvent:
    """With a plain payload."""
    return NewEvent(kind=kind, payload=RawJson.of(value))


async def play(folder: Path) -> tuple[list[Operation], Tables]:
    """A parent with a child and a message; one answer is lost, one call never arrives, one owner is taken over."""
    it = Play(folder)
    client, one, two = it.client("client"), it.client("one"), it.client("two")
    await client.start(c.Start(**AT, batch_id="s", workflow="parent", queue="default"))
    own = await it.claim(one, "parent", "one")
    await one.renew(c.Renew(**AT, credential=own, ttl_ms=TTL_MS))
    started = await one.start_child(c.StartChild(**AT, credential=own, batch_id="c", child_key="k", workflow="child"))
    it.faulty.lost, it.faulty.unheard = ("lost",), ("unheard",)
    for key in ("lost", "unheard"):
        with pytest.raises(StoreUnavailable):
            await it.append(one, own, key, event("STEP_STARTED", key), event("order.placed", key))
    parked = await it.park(one, own, "p", ChildWait(id="child", child=Child(key="k")))
    child = await it.claim(two, started.child.execution_id, "two")
    await it.append(two, child, "done", event("EXECUTION_COMPLETED", 7))
    await it.resume(parked, own.incarnation)
    frozen = await it.claim(one, "parent", "one")
    it.clock.advance(TTL_MS)
    with pytest.raises(LoomError):
        await it.append(one, frozen, "late", event("STEP_COMPLETED", "late"))
    taken = await it.claim(two, "parent", "two")
    with pytest.raises(LoomError):
        await it.append(one, frozen, "later", event("STEP_COMPLETED", "later"))
    await it.append(two, taken, "w", event("STEP_COMPLETED", 1), event("STEP_COMPLETED", 2))
    await it.park(two, taken, "q", MessageWait(id="mail", message=Message(name="go")))
    await client.send(c.Send(**AT, chain="*", message_id="m", name="go", payload=RawJson.of({"n": 1})))
    last = await it.claim(two, "parent", "two")
    await it.append(two, last, "end", event("EXECUTION_COMPLETED", 8))
    for record in it.records:
        record.close()
    files = [folder / f"{name}.jsonl" for name in ("client", "one", "two")]
    return read_histories(files), from_memory(it.memory.rows)


@pytest.fixture
async def history(tmp_path: Path) -> tuple[list[Operation], Tables]:
    """A sound one."""
    return await play(tmp_path)


def of_parent(tables: Tables) -> int:
    """Its surrogate."""
    return next(number for number, head in tables.heads.items() if head.execution_id == "parent")


def log(tables: Tables) -> list[Event]:
    """The parent's."""
    return tables.events[of_parent(tables)]


def change(tables: Tables, place: int, **members: Any) -> None:
    """The event at this place of the parent's log is another."""
    events = log(tables)
    events[place - 1] = replace(events[place - 1], **members)


def at(tables: Tables, kind: str, nth: int = 0) -> Event:
    """The first of this kind in the parent's log, or a later one."""
    return [event for event in log(tables) if event.kind == kind][nth]


def changed(operations: list[Operation], key: str, **members: Any) -> None:
    """What a client wrote down about the call under this key is another."""
    for number, operation in enumerate(operations):
        if key in (operation.call.get("batch_id"), operation.method):
            operations[number] = replace(operation, **members)
            return
    raise AssertionError(key)


# --- one broken promise each ------------------------------------------------------------------------------------------


def a_gap(operations: list[Operation], tables: Tables) -> None:
    """The last sequence but one is left out; the client was told so."""
    head, last = of_parent(tables), len(log(tables))
    seq = Sequence(last + 1)
    change(tables, last, seq=seq)
    tables.heads[head] = replace(tables.heads[head], last_seq=seq)
    changed(operations, "end", answer={"first_seq": seq, "last_seq": seq})


def an_acknowledged_event_with_another_payload(operations: list[Operation], tables: Tables) -> None:
    """What was acknowledged is not what is there."""
    change(tables, at(tables, "STEP_COMPLETED").seq, payload=RawJson("9"))


def an_acknowledged_message_gone(operations: list[Operation], tables: Tables) -> None:
    """The client was told that it was taken."""
    changed(operations, "send", call={**called(operations, "send"), "message_id": "another"})


def an_acknowledged_claim_without_a_grant(operations: list[Operation], tables: Tables) -> None:
    """Nobody recorded it, and nothing was written under it."""
    claimed = next(operation for operation in operations if operation.method == "claim_runnable")
    forged = json.loads(json.dumps(claimed.answer))
    forged["items"][0]["credential"]["token"] = str(2**32 + 77)
    operations.append(replace(claimed, number=claimed.number + 1, answer=forged))


def a_refused_event_there(operations: list[Operation], tables: Tables) -> None:
    """The client was told that nothing happened."""
    changed(operations, "lost", end="fail", said="stale")


def half_of_an_unknown_call(operations: list[Operation], tables: Tables) -> None:
    """All or nothing: its second event is another's."""
    seq = at(tables, "order.placed").seq
    change(tables, seq, payload=RawJson('"another"'))


def one_payload_twice(operations: list[Operation], tables: Tables) -> None:
    """A call was carried out twice, under two keys."""
    for number, payload in ((0, 1), (1, 1)):
        seq = at(tables, "STEP_COMPLETED", number).seq
        change(tables, seq, payload=RawJson.of(payload))
    call = called(operations, "w")
    events = [{**one, "payload": 1} for one in call["events"]]
    changed(operations, "w", call={**call, "events": events})


def an_event_that_nobody_wrote(operations: list[Operation], tables: Tables) -> None:
    """Nobody wrote down that call."""
    operations[:] = [one for one in operations if one.call.get("batch_id") != "lost"]


def an_event_before_what_was_done_earlier(operations: list[Operation], tables: Tables) -> None:
    """The parent's last event was acknowledged before the one before it was called for."""
    first = min(operation.invoked_at for operation in operations)
    changed(operations, "end", invoked_at=first - 2, ended_at=first - 1)


def a_token_that_falls(operations: list[Operation], tables: Tables) -> None:
    """A fence is below an earlier one; nobody presented it."""
    change(tables, at(tables, "EXECUTION_RESUMED", 1).seq - 1, fence=Token(1))


def a_token_that_nobody_was_given(operations: list[Operation], tables: Tables) -> None:
    """Two rows for one token."""
    head = of_parent(tables)
    tables.grants[head].append(GrantRow(token=tables.grants[head][0].token, rule="claim", owner="x", at=Instant(0)))


def a_write_under_another_token(operations: list[Operation], tables: Tables) -> None:
    """A guard let somebody write who does not own it."""
    call = called(operations, "w")
    taken = {**call["credential"], "token": str(int(call["credential"]["token"]) - 1)}
    changed(operations, "w", call={**call, "credential": taken})


def a_head_unlike_its_log(operations: list[Operation], tables: Tables) -> None:
    """The row that decides everything says something else."""
    head = of_parent(tables)
    tables.heads[head] = replace(tables.heads[head], cancel_seq=Sequence(2))


def a_park_answered_twice(operations: list[Operation], tables: Tables) -> None:
    """Both RESUMED name the first park."""
    park = at(tables, "EXECUTION_SUSPENDED")
    change(tables, at(tables, "EXECUTION_RESUMED", 1).seq, answers_park=park.seq)


def a_grant_under_a_live_lease(operations: list[Operation], tables: Tables) -> None:
    """Somebody was granted what another still had."""
    head = of_parent(tables)
    grants = sorted(tables.grants[head], key=lambda grant: grant.token)
    took_over = next(b for a, b in pairwise(grants) if b.token == a.token + 1)
    tables.grants[head] = [
        replace(one, at=Instant(one.at - 1)) if one.token == took_over.token else one for one in grants
    ]


def a_write_after_its_lease(operations: list[Operation], tables: Tables) -> None:
    """It was accepted long after its owner's lease had ended."""
    seq = at(tables, "STEP_COMPLETED").seq
    late = Instant(at(tables, "STEP_COMPLETED").recorded_at + TTL_MS + LOCK_WAIT_MS + 1)
    for number in (seq, seq + 1):
        change(tables, number, recorded_at=late)


def two_children_under_one_key(operations: list[Operation], tables: Tables) -> None:
    """The key was started twice."""
    head = next(head for head in tables.heads.values() if head.parent_key == "k")
    other = Incarnation(head.incarnation + 1)
    status = {"status": Status.CANCELLED, "ending": Status.CANCELLED}
    at = {"head": 99, "execution_id": ExecutionId("b"), "incarnation": other, "chain": Chain(other)}
    tables.heads[99] = replace(head, **at, **status)
    started, ended = tables.events[head.head]
    tables.events[99] = [started, replace(ended, kind="EXECUTION_CANCELLED", batch_id=None)]


def an_edge_unlike_its_child(operations: list[Operation], tables: Tables) -> None:
    """The child has ended, its edge says that it has not."""
    tables.edges[0] = replace(tables.edges[0], status="open")


def called(operations: list[Operation], key: str) -> dict[str, Any]:
    """What a client asked for under this key."""
    return next(one.call for one in operations if key in (one.call.get("batch_id"), one.method))


BROKEN: dict[Callable[[list[Operation], Tables], None], str] = {
    a_gap: "gapless",
    an_acknowledged_event_with_another_payload: "acknowledged",
    an_acknowledged_message_gone: "acknowledged",
    an_acknowledged_claim_without_a_grant: "acknowledged",
    a_refused_event_there: "refused",
    half_of_an_unknown_call: "whole",
    one_payload_twice: "once",
    an_event_that_nobody_wrote: "explained",
    an_event_before_what_was_done_earlier: "real time",
    a_token_that_falls: "granted",
    a_token_that_nobody_was_given: "granted",
    a_write_under_another_token: "owned",
    a_head_unlike_its_log: "folded",
    a_park_answered_twice: "answered",
    a_grant_under_a_live_lease: "leased",
    a_write_after_its_lease: "leased",
    two_children_under_one_key: "counted",
    an_edge_unlike_its_child: "auditor",
}


async def test_a_sound_history_has_no_violation(history: tuple[list[Operation], Tables]) -> None:
    """Hazards 5.3: unknown outcomes may have happened or not, refusals left nothing, take-overs are right."""
    operations, tables = history

    assert check(operations, tables) == []
    assert {operation.end for operation in operations} == {"ok", "fail", "unknown"}


@pytest.mark.parametrize(("broken", "noticed"), BROKEN.items(), ids=lambda it: getattr(it, "__name__", it))
async def test_a_history_that_breaks_one_promise_fails_its_check_alone(
    history: tuple[list[Operation], Tables], broken: Callable[[list[Operation], Tables], None], noticed: str
) -> None:
    """Negative control of the checker, hazards 5.3 points 1 to 8."""
    operations, tables = history
    broken(operations, tables)

    assert {violation.check for violation in check(operations, tables)} == {noticed}


def test_every_check_has_a_history_that_fails_it() -> None:
    """A check that no fault can turn red checks nothing."""
    assert set(BROKEN.values()) == {*CHECKS, "auditor"}
