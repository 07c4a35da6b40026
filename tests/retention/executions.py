"""Executions that have ended, made through the port as a single writer does."""

from __future__ import annotations

from loom.ids import ExecutionId, ExecutionRef, Namespace
from loom.kernel.calls import Append, Cancel, ReadHead, Send, Start
from loom.kernel.events import NewEvent
from loom.kernel.heads import Head
from loom.kernel.raw_json import RawJson
from loom.stores.event_store import EventStore

NAMESPACE = Namespace("shop")


async def end_execution(
    store: EventStore, execution_id: str, *payloads: str, kind: str = "EXECUTION_COMPLETED"
) -> ExecutionRef:
    """Start it, note each payload's text, and end it."""
    execution = await start_execution(store, execution_id)
    noted = [NewEvent(kind="noted", payload=RawJson(payload)) for payload in payloads]
    await append(store, execution, *noted, NewEvent(kind=kind))
    return execution


async def start_execution(store: EventStore, execution_id: str) -> ExecutionRef:
    """Start it without a queue."""
    started = await store.start(
        Start(namespace=NAMESPACE, execution_id=ExecutionId(execution_id), batch_id="start", workflow="w")
    )
    return started.execution


async def send(store: EventStore, execution: ExecutionRef, message_id: str) -> None:
    """A message that nobody reads."""
    await store.send(
        Send(
            namespace=execution.namespace,
            execution_id=execution.execution_id,
            chain="*",
            message_id=message_id,
            name="mail",
        )
    )


async def cancel_execution(store: EventStore, execution_id: str) -> None:
    """Start it and cancel it before anybody claims it, which ends it at once."""
    named = {"namespace": NAMESPACE, "execution_id": ExecutionId(execution_id)}
    await store.start(Start(**named, batch_id="start", workflow="w"))
    await store.cancel(Cancel(**named, chain="*"))


async def append(store: EventStore, execution: ExecutionRef, *events: NewEvent) -> None:
    """Append as the single writer."""
    await store.append(
        Append(
            namespace=execution.namespace,
            execution_id=execution.execution_id,
            incarnation=execution.incarnation,
            batch_id="append",
            events=events,
        )
    )


async def read_head(store: EventStore, execution: ExecutionRef) -> Head:
    """The head under the execution's id."""
    return await store.read_head(ReadHead(namespace=execution.namespace, execution_id=execution.execution_id))
