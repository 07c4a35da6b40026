"""A memory store to play on, call by call, without a loop; and what a test says of its answers."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import replace
from itertools import count
from random import Random
from typing import Any

from loom.clock import ManualClock
from loom.errors import LoomError
from loom.ids import Chain, Credential, ExecutionId, ExecutionRef, Namespace, Nonce, Sequence
from loom.kernel import calls as c
from loom.kernel.events import Event, NewEvent
from loom.kernel.heads import Head
from loom.kernel.limits import Limits
from loom.kernel.parks import (
    Child,
    ChildWait,
    Edge,
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
from loom.kernel.raw_json import RawJson
from loom.stores.memory import MemoryEventStore
from loom.wire.paths import BY_CALL

SHOP = Namespace("shop")
LEASE_MS = 60_000


def run(call: Coroutine[Any, Any, Any]) -> Any:
    """The answer of a coroutine that waits for nothing, as memory's never do."""
    try:
        call.send(None)
    except StopIteration as end:
        return end.value
    raise AssertionError("memory waits for nothing")


def outcome(act: Callable[[], Any]) -> Any:
    """The answer of a call, or the error with which it was refused."""
    try:
        return act()
    except LoomError as error:
        return error


def refused(kind: type[LoomError], act: Callable[[], Any]) -> Any:
    """The error of a call that must be refused with exactly this class."""
    met = outcome(act)
    assert type(met) is kind, f"{kind.__name__} expected, {met!r} met"
    return met


def event(kind: str, value: Any = None, **members: Any) -> NewEvent:
    """A new event with a plain payload."""
    return NewEvent(kind=kind, payload=RawJson.of(value), **members)


def timer(delay_ms: int = 0, id: str = "timer") -> Wait:
    """A wait for a while, over at once unless said otherwise."""
    return TimerWait(id=id, timer=Timer(delay_ms=delay_ms))


def child(key: str, id: str = "child") -> Wait:
    """A wait for the child under `key`."""
    return ChildWait(id=id, child=Child(key=key))


def group(*members: str, policy: Any = "all", on_error: Any = "raise", keep: bool = False, id: str = "group") -> Wait:
    """A wait for several children."""
    return GroupWait(id=id, group=Group(members=members, policy=policy, on_error=on_error, keep=keep))


def mail(name: str = "mail", key: str | None = None, id: str = "mail") -> Wait:
    """A wait for a message."""
    return MessageWait(id=id, message=Message(name=name, key=key))


def operator(reason: str = "help", id: str = "operator") -> Wait:
    """A wait for a person."""
    return OperatorWait(id=id, operator=Operator(reason=reason))


class Stage:
    """A store, its clock, and names that nobody has used."""

    def __init__(self, *, seed: int = 0, **limits: int) -> None:
        self.clock = ManualClock()
        self.store = MemoryEventStore(self.clock, limits=Limits(**limits), rng=Random(seed))
        self._numbers = count(1)

    def name(self, what: str = "key") -> str:
        return f"{what}-{next(self._numbers)}"

    def nonce(self) -> Nonce:
        return Nonce(f"nonce-of-128-bits-or-so-{next(self._numbers)}")

    def do(self, call: Any) -> Any:
        """The answer to any call of the port."""
        return run(getattr(self.store, BY_CALL[type(call)].port)(call))

    def start(self, id: str | None = None, *, queue: str | None = "default", **members: Any) -> Played:
        """A pending execution."""
        given = {"namespace": SHOP, "execution_id": ExecutionId(id or self.name("e")), "batch_id": self.name()}
        started = self.do(c.Start(**(given | {"workflow": "w", "queue": queue} | members)))
        return Played(self, started.execution, started.chain)

    def single(self, **members: Any) -> Played:
        """One in single-writer mode."""
        return self.start(queue=None, **members)

    def owned(self, **members: Any) -> Played:
        """A running execution with an owner."""
        return self.start(**members).claim()

    def parked(self, *waits: Wait) -> Played:
        """An execution that its owner parked, on a timer already due unless said otherwise."""
        return self.owned().park(*(waits or (timer(),)))

    def ended(self) -> Played:
        """An execution that its owner completed."""
        played = self.owned()
        played.append("EXECUTION_COMPLETED")
        return played


class Played:
    """One incarnation, and the last credential that it was claimed with."""

    def __init__(self, stage: Stage, ref: ExecutionRef, chain: Chain) -> None:
        self.stage = stage
        self.ref = ref
        self.chain = chain
        self.credential: Credential | None = None
        self.park_seq = Sequence(0)

    @property
    def at(self) -> dict[str, Any]:
        return {"namespace": self.ref.namespace, "execution_id": self.ref.execution_id}

    @property
    def seen(self) -> dict[str, Any]:
        return self.at | {"incarnation": self.ref.incarnation}

    @property
    def writer(self) -> dict[str, Any]:
        return self.at | {"credential": self.credential} if self.credential else self.seen

    @property
    def head(self) -> Head:
        head: Head = self.stage.do(c.ReadHead(**self.at))
        return head

    @property
    def log(self) -> tuple[Event, ...]:
        log: c.Log = self.stage.do(c.ReadEvents(**self.at))
        return log.events

    @property
    def kinds(self) -> list[str]:
        return [event.kind for event in self.log]

    @property
    def edges(self) -> dict[str, Edge]:
        return {edge.child_key: edge for edge in self.stage.do(c.ReadChildren(**self.at)).items}

    def claim_call(self, **members: Any) -> c.Claim:
        given = {"token": self.head.token, "nonce": self.stage.nonce(), "owner": "me", "ttl_ms": LEASE_MS}
        return c.Claim(**(self.seen | given | members))

    def claim(self, **members: Any) -> Played:
        self.credential = self.stage.do(self.claim_call(**members)).credential
        return self

    def renew(self, ttl_ms: int = LEASE_MS) -> c.Renewed:
        assert self.credential is not None
        renewed: c.Renewed = self.stage.do(c.Renew(**self.at, credential=self.credential, ttl_ms=ttl_ms))
        return renewed

    def release(self, **members: Any) -> c.Released:
        assert self.credential is not None
        released: c.Released = self.stage.do(c.Release(**self.at, credential=self.credential, **members))
        return released

    def append_call(self, *events: NewEvent | str, **members: Any) -> c.Append:
        worded = tuple(event(each) if isinstance(each, str) else each for each in events)
        return c.Append(**(self.writer | {"batch_id": self.stage.name(), "events": worded} | members))

    def append(self, *events: NewEvent | str, **members: Any) -> c.Appended:
        appended: c.Appended = self.stage.do(self.append_call(*events, **members))
        return appended

    def park_call(self, *waits: Wait, **members: Any) -> c.Park:
        return c.Park(**(self.writer | {"batch_id": self.stage.name(), "waits": waits} | members))

    def park(self, *waits: Wait, **members: Any) -> Played:
        self.park_seq = self.stage.do(self.park_call(*waits, **members)).park_seq
        return self

    def resume_call(self, wait: str | None = "timer", *keys: str, **members: Any) -> c.Resume:
        given = {"park_seq": self.park_seq, "wait": wait, "keys": keys, "batch_id": self.stage.name()}
        return c.Resume(**(self.seen | given | members))

    def resume(self, wait: str | None = "timer", *keys: str, **members: Any) -> c.Resumed:
        resumed: c.Resumed = self.stage.do(self.resume_call(wait, *keys, **members))
        return resumed

    def acquire_call(self, **members: Any) -> c.AcquireIfParked:
        given = {"park_seq": self.park_seq, "token": self.head.token, "nonce": self.stage.nonce()}
        return c.AcquireIfParked(**(self.seen | given | {"owner": "engine", "ttl_ms": LEASE_MS} | members))

    def acquire(self, **members: Any) -> Played:
        self.credential = self.stage.do(self.acquire_call(**members)).credential
        return self

    def send_call(self, name: str = "mail", **members: Any) -> c.Send:
        given = self.at | {"chain": self.chain, "message_id": self.stage.name("m"), "name": name}
        return c.Send(**(given | members))

    def send(self, name: str = "mail", **members: Any) -> c.Sent:
        sent: c.Sent = self.stage.do(self.send_call(name, **members))
        return sent

    def child_call(self, key: str, **members: Any) -> c.StartChild:
        given = {"batch_id": self.stage.name(), "child_key": key, "workflow": "w"}
        return c.StartChild(**(self.writer | given | members))

    def start_child(self, key: str, **members: Any) -> Played:
        started: c.ChildStarted = self.stage.do(self.child_call(key, **members))
        return Played(self.stage, started.child, Chain(started.child.incarnation))

    def cancel(self, **members: Any) -> c.CancelRequested:
        given = self.at | {"chain": self.chain, "batch_id": self.stage.name()}
        requested: c.CancelRequested = self.stage.do(c.Cancel(**(given | members)))
        return requested

    def terminate(self, **members: Any) -> c.Ended:
        ended: c.Ended = self.stage.do(c.Terminate(**(self.seen | {"batch_id": self.stage.name()} | members)))
        return ended

    def fail(self, **members: Any) -> c.Ended:
        ended: c.Ended = self.stage.do(c.Fail(**(self.seen | {"batch_id": self.stage.name()} | members)))
        return ended

    def delete(self, **members: Any) -> c.Erased:
        erased: c.Erased = self.stage.do(c.Delete(**(self.seen | members)))
        return erased

    def note(self, kind: str = "ANNOTATED", **members: Any) -> c.Noted:
        given = self.seen | {"kind": kind, "batch_id": self.stage.name()}
        noted: c.Noted = self.stage.do(c.AppendIfUnchanged(**(given | members)))
        return noted

    def stamp(self, kind: str = "EXECUTION_HIBERNATED") -> None:
        """An answering event of a newer server."""
        run(self.stage.store.append_stamped(self.ref, kind))

    def forged(self, **members: Any) -> Credential:
        """The last credential, with some members of another."""
        assert self.credential is not None
        return replace(self.credential, **members)
