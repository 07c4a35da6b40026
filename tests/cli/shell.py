"""The command in this process, over a store in memory: what a user types, what comes out."""

from __future__ import annotations

import io
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from loom.clock import ManualClock
from loom.ids import ExecutionId, Namespace, Nonce
from loom.kernel import calls as c
from loom.kernel.events import NewEvent
from loom.kernel.raw_json import NULL, RawJson
from loom.stores.memory import MemoryEventStore
from loom.stores.timer_store import MemoryTimerStore
from loom_cli.__main__ import run
from loom_cli.command import Server

NAMESPACE = Namespace("default")


@dataclass(frozen=True, slots=True)
class Said:
    """What a command left behind."""

    exit: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)


@dataclass(slots=True)
class Shell:
    """`await shell("list", "--json")`, and a worker's hand for arranging."""

    clock: ManualClock = field(default_factory=ManualClock)
    urls: list[str] = field(default_factory=list)
    store: MemoryEventStore = field(init=False)
    timers: MemoryTimerStore = field(init=False)

    def __post_init__(self) -> None:
        self.store = MemoryEventStore(self.clock)
        self.timers = MemoryTimerStore(self.clock)

    async def __call__(self, *words: str) -> Said:
        stdout, stderr = io.StringIO(), io.StringIO()
        return Said(int(await run(words, self.connect, stdout, stderr)), stdout.getvalue(), stderr.getvalue())

    @asynccontextmanager
    async def connect(self, url: str) -> AsyncIterator[Server]:
        self.urls.append(url)
        yield Server(store=self.store, timers=self.timers)

    async def start(self, id: str, input: Any = None, workflow: str = "order") -> c.Started:
        call = c.Start(
            namespace=NAMESPACE,
            execution_id=ExecutionId(id),
            batch_id=f"start-{id}",
            workflow=workflow,
            queue="default",
            input=RawJson.of(input),
        )
        return await self.store.start(call)

    async def claim(self, id: str, nonce: str = "n" * 32) -> c.Claimed:
        head = await self.store.read_head(c.ReadHead(namespace=NAMESPACE, execution_id=ExecutionId(id)))
        call = c.Claim(
            namespace=NAMESPACE,
            execution_id=head.execution_id,
            incarnation=head.incarnation,
            token=head.token,
            nonce=Nonce(nonce),
            owner="worker-1",
            ttl_ms=60_000,
        )
        return await self.store.claim(call)

    async def append(self, claimed: c.Claimed, *events: NewEvent) -> c.Appended:
        credential = claimed.credential
        call = c.Append(
            namespace=NAMESPACE,
            execution_id=credential.execution_id,
            credential=credential,
            batch_id=f"append-{events[0].kind}-{claimed.head.last_seq}",
            events=events,
        )
        return await self.store.append(call)

    async def end(self, id: str, kind: str, payload: RawJson = NULL) -> None:
        await self.append(await self.claim(id), NewEvent(kind=kind, payload=payload))

    async def park(self, claimed: c.Claimed, *waits: c.Wait) -> c.Parked:
        credential = claimed.credential
        call = c.Park(
            namespace=NAMESPACE,
            execution_id=credential.execution_id,
            credential=credential,
            batch_id=f"park-{claimed.head.last_seq}",
            waits=waits,
        )
        return await self.store.park(call)
