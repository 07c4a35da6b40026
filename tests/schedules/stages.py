"""Where a pair of calls meets, and the calls: one of each method of the port that writes, and what differs in kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

from loom.ids import ANY, Credential, ExecutionId, ExecutionRef, Incarnation, Namespace, Nonce, Sequence, Token
from loom.kernel import calls as c
from loom.kernel.events import NewEvent
from loom.kernel.heads import Status
from loom.kernel.raw_json import RawJson
from loom.wire.paths import BY_CALL
from loom_conformance.waits import child, message, timer

E = ExecutionId("e")
OTHER = ExecutionId("o")
PARENT = ExecutionId("p")


@dataclass
class Stage:
    """What the callers have seen of `e`, of its parent, and of another execution."""

    namespace: Namespace
    execution: ExecutionRef | None = None
    credential: Credential | None = None
    other: Credential | None = None
    token: Token = Token(0)
    park_seq: Sequence = Sequence(2)
    parent: ExecutionRef | None = None

    @property
    def at(self) -> dict[str, Any]:
        return {"namespace": self.namespace, "execution_id": self.execution.execution_id if self.execution else E}

    @property
    def seen(self) -> dict[str, Any]:
        return {**self.at, "incarnation": self.execution.incarnation if self.execution else ANY}

    @property
    def own(self) -> dict[str, Any]:
        return {**self.at, "credential": self.credential} if self.credential else self.seen


def nonce(n: int) -> Nonce:
    """One of a few, told apart."""
    return Nonce(f"{n:032}")


async def absent(store: Any, stage: Stage) -> None:
    """Nobody started it."""


async def pending(store: Any, stage: Stage) -> None:
    """Started, with a queue."""
    stage.execution = (await store.start(_start(stage.namespace, E))).execution


async def running(store: Any, stage: Stage) -> None:
    """A child that is claimed, with an ended child of its own and a message waiting; its parent is parked on it."""
    parent = await _claimed(store, stage.namespace, PARENT, 7)
    await store.park(
        c.Park(namespace=stage.namespace, execution_id=PARENT, credential=parent, batch_id="p", waits=(timer(60_000),))
    )
    await store.resume(
        c.Resume(namespace=stage.namespace, execution_id=PARENT, incarnation=parent.incarnation, park_seq=Sequence(2))
    )
    parent = await _claim(store, parent.execution, 8)
    started = await store.start_child(
        c.StartChild(
            namespace=stage.namespace,
            execution_id=PARENT,
            credential=parent,
            batch_id="c",
            child_key="k",
            workflow="w",
            queue="q",
        )
    )
    await store.park(
        c.Park(namespace=stage.namespace, execution_id=PARENT, credential=parent, batch_id="p2", waits=(child("k"),))
    )
    stage.parent, stage.execution = parent.execution, started.child
    stage.credential = await _claim(store, started.child, 1)
    stage.token = stage.credential.token
    await store.send(c.Send(**stage.at, chain=ANY, message_id="m0", name="mail"))
    stage.other = await _claimed(store, stage.namespace, OTHER, 2)


async def parked(store: Any, stage: Stage) -> None:
    """Parked on a timer that is due and on a message."""
    stage.credential = await _claimed(store, stage.namespace, E, 1)
    stage.execution, stage.token = stage.credential.execution, stage.credential.token
    waits = (timer(0), message("mail"))
    stage.park_seq = (await store.park(c.Park(**stage.own, batch_id="p", waits=waits))).park_seq
    stage.other = await _claimed(store, stage.namespace, OTHER, 2)


async def satisfied(store: Any, stage: Stage) -> None:
    """Parked on a child that has ended and on one that has not."""
    own = await _claimed(store, stage.namespace, E, 1)
    at = {"namespace": stage.namespace, "execution_id": E, "credential": own}
    started = [
        await store.start_child(c.StartChild(**at, batch_id=key, child_key=key, workflow="w", queue="q"))
        for key in ("k1", "k2")
    ]
    stage.park_seq = (await store.park(c.Park(**at, batch_id="p", waits=(child("k1"),)))).park_seq
    ended = await _claim(store, started[0].child, 3)
    await store.append(_append(ended, "end", "EXECUTION_COMPLETED"))
    stage.execution, stage.credential, stage.token = own.execution, own, own.token
    stage.other = await _claim(store, started[1].child, 4)


async def ended(store: Any, stage: Stage) -> None:
    """Completed; nothing pins it."""
    stage.credential = await _claimed(store, stage.namespace, E, 1)
    stage.execution, stage.token = stage.credential.execution, stage.credential.token
    await store.append(_append(stage.credential, "end", "EXECUTION_COMPLETED"))


STAGES = {stage.__name__: stage for stage in (absent, pending, running, parked, satisfied, ended)}


def _start(namespace: Namespace, id: ExecutionId) -> c.Start:
    return c.Start(namespace=namespace, execution_id=id, batch_id="s", workflow="w", queue="q")


def _append(own: Credential, key: str, kind: str) -> c.Append:
    events = (NewEvent(kind=kind, payload=RawJson("1")),)
    return c.Append(namespace=own.namespace, execution_id=own.execution_id, credential=own, batch_id=key, events=events)


async def _claimed(store: Any, namespace: Namespace, id: ExecutionId, n: int) -> Credential:
    return await _claim(store, (await store.start(_start(namespace, id))).execution, n)


async def _claim(store: Any, ref: ExecutionRef, n: int) -> Credential:
    head = await store.read_head(c.ReadHead(namespace=ref.namespace, execution_id=ref.execution_id))
    assert head.status in (Status.PENDING, Status.RUNNING)
    claim = c.Claim(
        namespace=ref.namespace,
        execution_id=ref.execution_id,
        incarnation=ref.incarnation,
        token=head.token,
        nonce=nonce(n),
        owner=f"w{n}",
        ttl_ms=60_000,
    )
    return (await store.claim(claim)).credential


Word = Callable[[Stage, int], Any]

CALLS: dict[str, tuple[str, Word]] = {
    "start": (
        "absent",
        lambda s, n: c.Start(namespace=s.namespace, execution_id=E, batch_id=f"s{n}", workflow="w", queue="q"),
    ),
    "start-again": (
        "ended",
        lambda s, n: c.Start(namespace=s.namespace, execution_id=E, batch_id=f"s{n}", workflow="w", recreate=True),
    ),
    "claim": (
        "pending",
        lambda s, n: c.Claim(**s.seen, token=s.token, nonce=nonce(20 + n), owner=f"c{n}", ttl_ms=9_000),
    ),
    "claim_runnable": (
        "pending",
        lambda s, n: c.ClaimRunnable(
            namespace=s.namespace, queue="q", workflows=("w@0",), max=2, nonce=nonce(30 + n), owner=f"r{n}"
        ),
    ),
    "append": ("running", lambda s, n: c.Append(**s.own, batch_id=f"a{n}", events=(NewEvent(kind="STEP_COMPLETED"),))),
    "append-end": (
        "running",
        lambda s, n: c.Append(
            **s.own, batch_id=f"e{n}", events=(NewEvent(kind="EXECUTION_COMPLETED", payload=RawJson("7")),)
        ),
    ),
    "append-mail": (
        "running",
        lambda s, n: c.Append(**s.own, batch_id=f"m{n}", events=(NewEvent(kind="MESSAGE_CONSUMED", message_id="m0"),)),
    ),
    "append-late": (
        "parked",
        lambda s, n: c.Append(**s.own, batch_id=f"l{n}", events=(NewEvent(kind="STEP_COMPLETED"),)),
    ),
    "append_batch": ("running", lambda s, n: _batch(s, n)),
    "append_if_unchanged": (
        "running",
        lambda s, n: c.AppendIfUnchanged(**s.seen, kind="ANNOTATED", token=s.token, batch_id=f"n{n}"),
    ),
    "renew": ("running", lambda s, n: _held(s, c.Renew, ttl_ms=30_000 + n)),
    "release": ("running", lambda s, n: _held(s, c.Release)),
    "park": (
        "running",
        lambda s, n: c.Park(**s.own, batch_id=f"p{n}", waits=(timer(1_000), message("mail", key="none"))),
    ),
    "park-on-mail": ("running", lambda s, n: c.Park(**s.own, batch_id=f"q{n}", waits=(message("letter"),))),
    "start_child": (
        "running",
        lambda s, n: c.StartChild(**s.own, batch_id=f"c{n}", child_key="key", workflow="w", queue="q"),
    ),
    "resume": ("parked", lambda s, n: c.Resume(**s.seen, park_seq=s.park_seq, wait="timer", batch_id=f"r{n}")),
    "resume-child": (
        "satisfied",
        lambda s, n: c.Resume(**s.seen, park_seq=s.park_seq, wait="k1", keys=("k1",), batch_id=f"k{n}"),
    ),
    "end-of-other": (
        "satisfied",
        lambda s, n: _append(s.other, f"o{n}", "EXECUTION_COMPLETED") if s.other else _held(s, c.Release),
    ),
    "acquire_if_parked": (
        "parked",
        lambda s, n: c.AcquireIfParked(
            **s.seen, park_seq=s.park_seq, token=s.token, nonce=nonce(40 + n), owner=f"q{n}", ttl_ms=9_000
        ),
    ),
    "send": ("parked", lambda s, n: c.Send(**s.at, chain=ANY, message_id=f"m{n}", name="mail")),
    "send-letter": (
        "running",
        lambda s, n: c.Send(**s.at, chain=ANY, message_id=f"l{n}", name="letter", sender=s.other),
    ),
    "cancel": ("running", lambda s, n: c.Cancel(**s.at, chain=ANY, batch_id=f"x{n}")),
    "terminate": ("running", lambda s, n: c.Terminate(**s.seen, batch_id=f"t{n}")),
    "fail": ("running", lambda s, n: c.Fail(**s.seen, batch_id=f"f{n}")),
    "delete": ("ended", lambda s, n: c.Delete(**s.seen)),
    "set_pin": ("ended", lambda s, n: c.SetPin(**s.seen, owner=f"o{n}", reason="r")),
    "remove_pin": ("ended", lambda s, n: c.RemovePin(**s.seen, owner="o1")),
    "mark_archived": ("ended", lambda s, n: c.MarkArchived(**s.seen, seq=Sequence(1))),
    "take_duty": ("absent", lambda s, n: c.TakeDuty(name=f"duty-{s.namespace}", owner=f"d{n}", term=0, ttl_ms=9_000)),
    "give_up_duty": ("absent", lambda s, n: c.GiveUpDuty(name=f"duty-{s.namespace}", owner="d1", term=1)),
}
"""By name: the stage at which it does something, and how it is worded there. `n` tells two of a kind apart."""


def _held(stage: Stage, call: Callable[..., Any], **facts: Any) -> Any:
    shown = stage.credential or Credential(
        namespace=stage.namespace, execution_id=E, incarnation=Incarnation(1), token=Token(1), nonce=nonce(99)
    )
    return call(namespace=shown.namespace, execution_id=shown.execution_id, credential=shown, **facts)


def _batch(stage: Stage, n: int) -> c.AppendBatch:
    """Both executions, the second of a kind the other way round."""
    event = NewEvent(kind="STEP_COMPLETED")
    items = [
        c.AppendItem(
            execution_id=stage.at["execution_id"], credential=stage.credential, incarnation=ANY, events=(event,)
        )
    ]
    if stage.other is not None:
        items.append(c.AppendItem(execution_id=stage.other.execution_id, credential=stage.other, events=(event,)))
    return c.AppendBatch(namespace=stage.namespace, batch_id=f"b{n}", items=tuple(items if n % 2 else reversed(items)))


def list_left_out() -> set[str]:
    """Methods of the port that write and that no call here is of."""
    writing = {BY_CALL[call].port for call in (*get_args(c.WriteCall), c.ClaimRunnable)}
    return writing - {name.partition("-")[0] for name in CALLS}
