"""What other processes do to a store that they share with a test."""

from __future__ import annotations

import asyncio
import multiprocessing
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Barrier

from loom.ids import ExecutionId, Namespace, Nonce
from loom.kernel import calls as c
from loom.kernel.events import NewEvent
from loom_event_store.sqlite.store import SqliteEventStore

NAMESPACE = Namespace("default")


def claim_all(path: Path, gate: Barrier, claims: multiprocessing.Queue) -> None:
    """Claim two at a time until there is nothing more; tell which."""
    store = SqliteEventStore.open(path)
    gate.wait()
    claims.put(asyncio.run(_claim_all(store)))
    store.close()


async def _claim_all(store: SqliteEventStore) -> list[str]:
    mine: list[str] = []
    while True:
        call = c.ClaimRunnable(
            namespace=NAMESPACE,
            queue="default",
            workflows=("w@0",),
            max=2,
            nonce=Nonce(f"{id(store)}-{len(mine):032}"),
            owner="a process",
            ttl_ms=60_000,
        )
        claims = await store.claim_runnable(call)
        if not claims.items:
            return mine
        mine += [claimed.credential.execution_id for claimed in claims.items]


def append_for_ever(path: Path, acknowledged: Connection) -> None:
    """Append to one execution in single-writer mode, telling each sequence once the store has answered."""
    store = SqliteEventStore.open(path)
    asyncio.run(_append_for_ever(store, acknowledged))


async def _append_for_ever(store: SqliteEventStore, acknowledged: Connection) -> None:
    id = ExecutionId("a")
    await store.start(c.Start(namespace=NAMESPACE, execution_id=id, batch_id="start", workflow="w"))
    number = 0
    while True:
        number += 1
        call = c.Append(
            namespace=NAMESPACE,
            execution_id=id,
            incarnation="*",
            batch_id=f"batch {number}",
            events=(NewEvent(kind="note"),),
        )
        acknowledged.send((await store.append(call)).last_seq)
