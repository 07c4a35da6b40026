"""The stage of one case: executions of its own, and the calls on them in a few words."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from loom.errors import LoomError, NotYet
from loom.ids import (
    Chain,
    ChainRef,
    Credential,
    ExecutionId,
    ExecutionRef,
    Incarnation,
    Instant,
    Namespace,
    Nonce,
    Sequence,
    Token,
)
from loom.kernel import calls as c
from loom.kernel.events import Event, NewEvent
from loom.kernel.heads import Head
from loom.kernel.hints import Envelope
from loom.kernel.limits import Limits
from loom.kernel.parks import Edge, Wait
from loom.kernel.raw_json import RawJson
from loom.stores.event_store import EventStore, TestHook
from loom.stores.timer_store import TimerStore
from loom_conformance.checks import Broken, attempt, equal
from loom_conformance.subject import NotReachable, Subject
from loom_conformance.waits import timer

LEASE_MS = 60_000
SHORT_LEASE_MS = 250
UNHURRIED_MS = 5_000  # not over before a slow call over a network has arrived
WORKFLOW = "conformance"


def mint(what: str = "key") -> str:
    """A name that nobody else has."""
    return f"{what}-{secrets.token_hex(6)}"


def mint_nonce() -> Nonce:
    """A secret of 128 random bits."""
    return Nonce(secrets.token_hex(16))


def event(kind: str, value: Any = None, **members: Any) -> NewEvent:
    """A new event with a plain payload; RawJson is taken as it is."""
    payload = value if isinstance(value, RawJson) else RawJson.of(value)
    return NewEvent(kind=kind, payload=payload, **members)


class Scene:
    """What a case acts on. It mints its own ids and queue, and never lists the whole store."""

    def __init__(self, subject: Subject, case_id: str) -> None:
        self.subject = subject
        self.store: EventStore = subject.store
        self.namespace = Namespace("conformance")
        self.queue = mint("queue")
        self._prefix = case_id.replace("/", ".")[:80]

    @property
    def hook(self) -> TestHook:
        """The store's test hook; without one the case is not reachable."""
        if self.subject.hook is None:
            raise NotReachable("needs the port's test hook")
        return self.subject.hook

    @property
    def timers(self) -> TimerStore:
        """The timers' store; without one the case is not reachable."""
        if self.subject.timers is None:
            raise NotReachable("needs a timer store")
        return self.subject.timers

    async def told(self) -> tuple[Envelope, ...]:
        """The hints that the store has told; where they cannot be seen the case is not reachable."""
        if self.subject.told is None:
            raise NotReachable("needs a look at the outbox")
        return await self.subject.told()

    async def reopen(self) -> None:
        """Go on with the same data in a store opened anew, where the subject can."""
        if self.subject.reopen is not None:
            self.store = await self.subject.reopen()

    async def pass_time(self, ms: int) -> None:
        await self.subject.pass_time(ms)

    async def pass_days(self, days: int) -> None:
        """Let days pass, where the store's clock can be moved."""
        if self.subject.clock is None:
            raise NotReachable("needs a clock that can be moved")
        await self.subject.pass_time(days * 24 * 3_600_000)

    async def now(self) -> Instant:
        """The store's time, read from an event it writes."""
        probe = await self.start()
        return (await probe.log())[0].recorded_at

    async def limits(self) -> Limits:
        return (await self.store.read_store(c.ReadStore())).limits

    def mint_id(self) -> ExecutionId:
        return ExecutionId(mint(self._prefix))

    def unknown(self) -> Execution:
        """An execution that nobody started."""
        number = secrets.randbits(63)
        ref = ExecutionRef(namespace=self.namespace, execution_id=self.mint_id(), incarnation=Incarnation(number))
        return Execution(
            self, ref, ChainRef(namespace=ref.namespace, execution_id=ref.execution_id, chain=Chain(number))
        )

    def start_call(self, **members: Any) -> c.Start:
        """A start of a fresh id on this case's queue."""
        given = {
            "namespace": self.namespace,
            "execution_id": self.mint_id(),
            "batch_id": mint(),
            "workflow": WORKFLOW,
            "queue": self.queue,
        }
        return c.Start(**(given | members))

    async def start(self, **members: Any) -> Execution:
        """A pending execution with a queue."""
        return self.of(await self.store.start(self.start_call(**members)))

    async def single(self, **members: Any) -> Execution:
        """A pending execution in single-writer mode."""
        return await self.start(queue=None, **members)

    async def owned(self, ttl_ms: int = LEASE_MS, **members: Any) -> Execution:
        """A running execution, claimed."""
        execution = await self.start(**members)
        await execution.claim(ttl_ms)
        return execution

    async def parked(self, *waits: Wait, **members: Any) -> Execution:
        """An execution that its owner parked; by default on a timer already due."""
        execution = await self.owned(**members)
        await execution.park(*waits)
        return execution

    async def runnable(self) -> Execution:
        """An execution that was parked and answered: running, owned by nobody."""
        execution = await self.parked()
        await execution.resume()
        return execution

    async def ended(self, kind: str = "EXECUTION_COMPLETED", **members: Any) -> Execution:
        """An execution that its owner ended."""
        execution = await self.owned(**members)
        await execution.end(kind)
        return execution

    async def deleted(self) -> Execution:
        """A tombstone."""
        execution = await self.ended()
        await execution.delete()
        return execution

    async def blocked(self) -> Execution:
        """An execution that eight fruitless claims blocked."""
        execution = await self.start()
        for _ in range((await self.limits()).fruitless_claims):
            await execution.claim_when_due(SHORT_LEASE_MS)
            await self.pass_time(SHORT_LEASE_MS + 1)
        answer = await attempt(execution.claim_when_due(SHORT_LEASE_MS))
        if not isinstance(answer, LoomError):
            raise Broken("the ninth claim in a row was granted")
        return execution

    def of(self, started: c.Started) -> Execution:
        ref = started.execution
        chain = ChainRef(namespace=ref.namespace, execution_id=ref.execution_id, chain=started.chain)
        return Execution(self, ref, chain)

    @asynccontextmanager
    async def untouched(self, *executions: Execution) -> AsyncIterator[None]:
        """What happens inside changes nothing that can be read of these executions."""
        before = [await execution.everything() for execution in executions]
        yield
        for execution, was in zip(executions, before, strict=True):
            now = await execution.everything()
            for name, value in was.items():
                equal(now[name], value, f"{name}, which had to stay")


class Execution:
    """One incarnation, seen by whoever plays on it; after a claim it is played by its owner."""

    def __init__(self, scene: Scene, ref: ExecutionRef, chain: ChainRef) -> None:
        self.scene = scene
        self.ref = ref
        self.chain = chain
        self.credential: Credential | None = None
        self.park_seq: Sequence = Sequence(0)

    @property
    def store(self) -> EventStore:
        return self.scene.store

    @property
    def at(self) -> dict[str, Any]:
        """The address of a call."""
        return {"namespace": self.ref.namespace, "execution_id": self.ref.execution_id}

    @property
    def seen(self) -> dict[str, Any]:
        """The address of a call that names the incarnation seen."""
        return self.at | {"incarnation": self.ref.incarnation}

    @property
    def as_owner(self) -> dict[str, Any]:
        """The address of an owner's call; without a credential that of single-writer mode."""
        return self.at | {"credential": self.credential} if self.credential else self.seen

    @property
    def held(self) -> Credential:
        if self.credential is None:
            raise Broken("the case forgot to claim")
        return self.credential

    # --- reading ---

    async def head(self) -> Head:
        return await self.store.read_head(c.ReadHead(**self.at))

    async def log(self) -> tuple[Event, ...]:
        return (await self.store.read_events(c.ReadEvents(**self.at))).events

    async def kinds(self) -> list[str]:
        return [event.kind for event in await self.log()]

    async def edges(self) -> dict[str, Edge]:
        children = await self.store.read_children(c.ReadChildren(**self.at))
        return {edge.child_key: edge for edge in children.items}

    async def inbox(self, name: str | None = None, key: str | None = None) -> list[str]:
        """The ids of the messages waiting."""
        inbox = await self.store.read_inbox(c.ReadInbox(**self.at, name=name, key=key))
        return [mail.message_id for mail in inbox.items]

    async def read_park(self) -> c.OpenPark:
        return await self.store.read_park(c.ReadPark(**self.seen))

    async def due(self, about: str, grace_ms: int = 0) -> list[c.Due]:
        """What the sweeps' list says about this execution, read page by page."""
        found, cursor = [], None
        while True:
            call = c.ListDue(about=about, grace_ms=grace_ms, cursor=cursor)  # type: ignore[arg-type]
            page = await self.store.list_due(call)
            found += [due for due in page.items if due.execution == self.ref]
            cursor = page.cursor
            if cursor is None:
                return found

    async def everything(self) -> dict[str, Any]:
        """All that can be read of it, errors in their place."""
        reads: dict[str, Callable[[], Any]] = {
            "the head": self.head,
            "the log": self.log,
            "the edges": self.edges,
            "the inbox": self.inbox,
            "the pins": lambda: self.store.read_pins(c.ReadPins(**self.at)),
        }
        answers = {name: await attempt(read()) for name, read in reads.items()}
        return {name: answer.code if isinstance(answer, LoomError) else answer for name, answer in answers.items()}

    # --- owning ---

    def claim_call(self, ttl_ms: int = LEASE_MS, *, token: Token, **members: Any) -> c.Claim:
        given = self.seen | {"token": token, "nonce": mint_nonce(), "owner": mint("owner"), "ttl_ms": ttl_ms}
        return c.Claim(**(given | members))

    async def claim(self, ttl_ms: int = LEASE_MS, **members: Any) -> c.Claimed:
        """Claim with the token that the head shows; keeps the credential."""
        token = members.pop("token", None)
        seen = token if token is not None else (await self.head()).token
        claimed = await self.store.claim(self.claim_call(ttl_ms, token=seen, **members))
        self.credential = claimed.credential
        return claimed

    async def claim_when_due(self, ttl_ms: int = LEASE_MS) -> c.Claimed:
        """Claim, waiting as long as its back-off says `not-yet`."""
        for _ in range(200):
            answer = await attempt(self.claim(ttl_ms))
            if not isinstance(answer, NotYet):
                break
            await self.scene.pass_time(1_000)
        if isinstance(answer, LoomError):
            raise answer
        return answer

    async def renew(self, ttl_ms: int = LEASE_MS, credential: Credential | None = None) -> c.Renewed:
        return await self.store.renew(c.Renew(**self.at, credential=credential or self.held, ttl_ms=ttl_ms))

    async def release(self, *, delay_ms: int | None = None, credential: Credential | None = None) -> c.Released:
        call = c.Release(**self.at, credential=credential or self.held, delay_ms=delay_ms)
        return await self.store.release(call)

    async def evict(self, **members: Any) -> c.Released:
        """Take it from its owner, with the token that the head shows."""
        token = members.pop("token", None)
        seen = token if token is not None else (await self.head()).token
        return await self.store.evict(c.Evict(**(self.seen | {"token": seen} | members)))

    # --- writing ---

    def append_call(self, *events: NewEvent | str, **members: Any) -> c.Append:
        worded = tuple(event(each) if isinstance(each, str) else each for each in events)
        return c.Append(**({"batch_id": mint(), "events": worded} | self.as_owner | members))

    async def append(self, *events: NewEvent | str, **members: Any) -> c.Appended:
        return await self.store.append(self.append_call(*events, **members))

    def park_call(self, *waits: Wait, heard: Sequence | None = None, **members: Any) -> c.Park:
        given = {"batch_id": mint(), "waits": waits or (timer(),), "heard": heard}
        return c.Park(**(given | self.as_owner | members))

    async def park(self, *waits: Wait, heard: Sequence | None = None, **members: Any) -> c.Parked:
        """Park, and remember where."""
        parked = await self.store.park(self.park_call(*waits, heard=heard, **members))
        self.park_seq = parked.park_seq
        return parked

    async def end(self, kind: str = "EXECUTION_COMPLETED", value: Any = None) -> c.Appended:
        """Append a terminal event as the owner, claiming it first if need be. A cancelled one is asked to first."""
        head = await self.head()
        if not head.single_writer and head.owner is None:
            await self.claim_when_due()
        if kind == "EXECUTION_CANCELLED":
            await self.cancel()
        return await self.append(event(kind, value))

    def continue_call(self, **members: Any) -> c.ContinueAsNew:
        return c.ContinueAsNew(**({"batch_id": mint()} | self.as_owner | members))

    async def continue_as_new(self, **members: Any) -> Execution:
        """The next link, which nobody has claimed."""
        return self.next_link(await self.store.continue_as_new(self.continue_call(**members)))

    def next_link(self, continued: c.Continued) -> Execution:
        """The link that this one was continued by."""
        return Execution(self.scene, continued.execution, replace(self.chain, chain=continued.chain))

    @property
    def ended_link(self) -> Execution:
        """Where this link is once it has been continued."""
        id = ExecutionId(f"{self.ref.execution_id}~{int(self.ref.incarnation)}")
        return Execution(self.scene, replace(self.ref, execution_id=id), replace(self.chain, execution_id=id))

    # --- answering ---

    def resume_call(self, wait: str | None = "timer", *keys: str, **members: Any) -> c.Resume:
        return c.Resume(**(self.seen | {"park_seq": self.park_seq, "wait": wait, "keys": keys} | members))

    async def resume(self, wait: str | None = "timer", *keys: str, **members: Any) -> c.Resumed:
        return await self.store.resume(self.resume_call(wait, *keys, **members))

    def acquire_call(self, *, token: Token, **members: Any) -> c.AcquireIfParked:
        given = self.seen | {
            "park_seq": self.park_seq,
            "token": token,
            "nonce": mint_nonce(),
            "owner": mint("acquirer"),
            "ttl_ms": LEASE_MS,
        }
        return c.AcquireIfParked(**(given | members))

    async def acquire(self, **members: Any) -> Credential:
        """Acquire the open park with the token that the head shows."""
        token = members.pop("token", None)
        seen = token if token is not None else (await self.head()).token
        return (await self.store.acquire_if_parked(self.acquire_call(token=seen, **members))).credential

    async def send(self, name: str = "mail", value: Any = None, *, key: str | None = None, **members: Any) -> c.Sent:
        given = self.at | {"chain": self.chain.chain, "message_id": mint("message")}
        return await self.store.send(c.Send(**(given | members), name=name, key=key, payload=RawJson.of(value)))

    # --- children ---

    def child_call(self, key: str, **members: Any) -> c.StartChild:
        given = {"batch_id": mint(), "child_key": key, "workflow": WORKFLOW, "queue": self.scene.queue}
        return c.StartChild(**(self.as_owner | given | members))

    async def start_child(self, key: str, **members: Any) -> Execution:
        answer = await self.store.start_child(self.child_call(key, **members))
        return await self.scene_of(answer.child)

    def attach_call(self, key: str, child: Execution, **members: Any) -> c.Attach:
        target = {"child_id": child.ref.execution_id, "chain": child.chain.chain}
        return c.Attach(**(self.as_owner | {"batch_id": mint(), "child_key": key} | target | members))

    async def attach(self, key: str, child: Execution, **members: Any) -> c.ChildStarted:
        return await self.store.attach(self.attach_call(key, child, **members))

    async def scene_of(self, ref: ExecutionRef) -> Execution:
        """The execution that `ref` names, in this scene."""
        head = await self.store.read_head(c.ReadHead(namespace=ref.namespace, execution_id=ref.execution_id))
        chain = ChainRef(namespace=ref.namespace, execution_id=ref.execution_id, chain=head.chain)
        return Execution(self.scene, ref, chain)

    # --- ending ---

    async def cancel(self, **members: Any) -> c.CancelRequested:
        return await self.store.cancel(c.Cancel(**(self.at | {"chain": self.chain.chain} | members)))

    async def terminate(self, **members: Any) -> c.Ended:
        return await self.store.terminate(c.Terminate(**(self.seen | members)))

    async def fail(self, **members: Any) -> c.Ended:
        return await self.store.fail(c.Fail(**(self.seen | members)))

    async def delete(self, **members: Any) -> c.Erased:
        return await self.store.delete(c.Delete(**(self.seen | members)))

    async def note(self, kind: str = "ANNOTATED", value: Any = None, **members: Any) -> c.Noted:
        """The audit call."""
        call = c.AppendIfUnchanged(**(self.seen | {"kind": kind, "payload": RawJson.of(value)} | members))
        return await self.store.append_if_unchanged(call)

    async def recreate(self, **members: Any) -> Execution:
        """The next incarnation of this id, which must be deleted."""
        return await self.scene.start(execution_id=self.ref.execution_id, recreate=True, **members)
