"""What an application calls: start executions, talk to them, wait for their results."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from typing import Any, Literal, Protocol, Self, cast

from loom.client.event_store import HttpEventStore
from loom.client.failures import read_failure
from loom.client.payloads import decode_value, encode_arguments, encode_value
from loom.clock import Duration, ms_of
from loom.errors import ExecutionFailed, Gone
from loom.ids import ANY, Chain, ExecutionId, Incarnation, Namespace, SeenChain, SeenIncarnation, Sequence
from loom.kernel import calls as c
from loom.kernel.events import Event
from loom.kernel.heads import Head, Status
from loom.kernel.kinds import TERMINAL_KINDS
from loom.stores.event_store import EventStore

POLL_WAIT_MS = 10_000  # how long a service is asked to hold back an answer that has nothing new
LOOK_S, LOOK_CAP_S = 0.02, 0.5  # pauses between looks at a store that answers at once
PAGE = 1_000


class Described(Protocol):
    """A workflow, as far as a client must know it."""

    name: str
    version: str

    @property
    def result_type(self) -> Any: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How an execution ended. `payload` is the result, the failure, or what EXECUTION_CANCELLED says."""

    status: Status
    payload: Any
    seq: Sequence


class Client:
    """Executions of one namespace, over an address or a store. An id alone means whatever lives under it now."""

    def __init__(self, store: str | EventStore, *, namespace: str = "default") -> None:
        self.store, self._owns_store = open_store(store)
        self.namespace = Namespace(namespace)

    async def close(self) -> None:
        """Close the connections that this client opened itself."""
        if self._owns_store:
            await cast(HttpEventStore, self.store).close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    async def start(
        self,
        workflow: Described | str,
        *args: Any,
        id: str | None = None,
        if_exists: Literal["raise", "return"] = "raise",
        queue: str | None = "default",
        timeout: Duration | None = None,
        delay: Duration | None = None,
        recreate: bool = False,
        idempotency_key: str | None = None,
    ) -> Execution:
        """Start an execution; a string is `name` or `name@version`. Without an id it gets a random one.

        Raises AlreadyExists, unless `if_exists` is return or it is a repeat with the same `idempotency_key`; Deleted
        for an id whose execution was deleted, unless `recreate`. `timeout`: a cancel request comes then; `delay`: no
        worker takes it before. `queue` None: no worker ever takes it.
        """
        name, version = _named(workflow)
        call = c.Start(
            namespace=self.namespace,
            execution_id=ExecutionId(id or f"{name}-{secrets.token_hex(6)}"),
            batch_id=idempotency_key or secrets.token_hex(16),
            workflow=name,
            code_version=version,
            queue=queue,
            input=encode_arguments(args),
            if_exists=if_exists,
            recreate=recreate,
            delay_ms=ms_of(delay),
            timeout_ms=ms_of(timeout),
        )
        started = await self.store.start(call)
        result_type = Any if isinstance(workflow, str) else workflow.result_type
        return Execution(client=self, started=started, result_type=result_type)

    async def send(
        self,
        execution_id: str,
        name: str,
        payload: Any = None,
        *,
        key: str | None = None,
        id: str | None = None,
        chain: SeenChain = ANY,
        start: Described | str | None = None,
        args: Iterable[Any] = (),
        queue: str | None = "default",
        timeout: Duration | None = None,
        delay: Duration | None = None,
    ) -> c.Sent:
        """Send a message; with an `id` of your own it is received once, however often it is sent.

        `start`: the workflow of the receiver that is started, with these arguments, if there is none: in one
        transaction, so that whoever comes first starts it and nobody's message is lost. A deleted id stays Deleted.
        """
        call = c.Send(
            namespace=self.namespace,
            execution_id=ExecutionId(execution_id),
            chain=chain,
            message_id=id or secrets.token_hex(16),
            name=name,
            key=key,
            payload=encode_value(payload),
            start=None if start is None else _receiver(start, args, queue, timeout, delay),
        )
        return await self.store.send(call)

    async def cancel(
        self,
        execution_id: str,
        *,
        reason: str | None = None,
        deadline: Duration | None = None,
        chain: SeenChain = ANY,
    ) -> c.CancelRequested:
        """Request cancellation: the body meets CancelledError and may undo. After the deadline it is terminated."""
        call = c.Cancel(
            namespace=self.namespace,
            execution_id=ExecutionId(execution_id),
            chain=chain,
            reason=reason,
            deadline_ms=ms_of(deadline),
            batch_id=secrets.token_hex(16),
        )
        return await self.store.cancel(call)

    async def terminate(
        self, execution_id: str, *, reason: str | None = None, incarnation: SeenIncarnation = ANY
    ) -> c.Ended:
        """End it at once; its body is not asked."""
        call = c.Terminate(
            namespace=self.namespace,
            execution_id=ExecutionId(execution_id),
            incarnation=incarnation,
            reason=reason,
            batch_id=secrets.token_hex(16),
        )
        return await self.store.terminate(call)

    async def fail(self, execution_id: str, failure: Any = None, *, incarnation: SeenIncarnation = ANY) -> c.Ended:
        """End it as failed, by an operator."""
        call = c.Fail(
            namespace=self.namespace,
            execution_id=ExecutionId(execution_id),
            incarnation=incarnation,
            failure=encode_value(failure),
            batch_id=secrets.token_hex(16),
        )
        return await self.store.fail(call)

    async def resume(self, execution_id: str) -> c.Resumed:
        """Re-open whatever park is open, by an operator: a blocked body tries again. Raises NotParked."""
        namespace, name = self.namespace, ExecutionId(execution_id)
        park = await self.store.read_park(c.ReadPark(namespace=namespace, execution_id=name))
        call = c.Resume(
            namespace=namespace,
            execution_id=name,
            incarnation=park.execution.incarnation,
            park_seq=park.park_seq or Sequence(0),
            batch_id=secrets.token_hex(16),
        )
        return await self.store.resume(call)

    async def result(
        self, execution_id: str, *, timeout: Duration | None = None, type: Any = Any, chain: SeenChain = ANY
    ) -> Any:
        """Wait for the end of the chain, its last link's; the result as `type` says.

        Raises ExecutionFailed if it failed or was cancelled, TimeoutError after `timeout`, NotFound, Deleted, Gone.
        """
        outcome = await self.outcome(execution_id, timeout=timeout, chain=chain)
        if outcome.status is Status.COMPLETED:
            return decode_value(outcome.payload, type)
        if outcome.status is Status.FAILED:
            raise ExecutionFailed(execution_id, *read_failure(outcome.payload))
        if outcome.status is Status.CONTINUED:
            raise ExecutionFailed(execution_id, "continued", "an ended link of a chain has no result", outcome.payload)
        told = outcome.payload if isinstance(outcome.payload, dict) else {}
        raise ExecutionFailed(
            execution_id, "cancelled", f"by {told.get('by')}: {told.get('reason') or 'no reason'}", told
        )

    async def outcome(self, execution_id: str, *, timeout: Duration | None = None, chain: SeenChain = ANY) -> Outcome:
        """Wait for the end of the chain, however it is. Raises TimeoutError, NotFound, Deleted, Gone."""
        seconds = None if timeout is None else ms_of(timeout) / 1000
        async with asyncio.timeout(seconds):
            head = await self.get(execution_id)
            if chain != ANY and head.chain != chain:
                raise Gone(f"another chain lives under {execution_id}", execution_id=execution_id)
            while True:
                try:
                    return await self._locate_end(head) if head.ended else await self._await_end(head)
                except Gone:
                    head = await self._next_link(head)

    async def _next_link(self, head: Head) -> Head:
        """What the id names since this link was continued. Raises Gone if it was not."""
        newest = await self.get(head.execution_id)
        if newest.chain != head.chain or newest.incarnation == head.incarnation:
            raise Gone(f"another chain lives under {head.execution_id}", execution_id=head.execution_id)
        return newest

    async def _locate_end(self, head: Head) -> Outcome:
        """The terminal event of what has ended: only audit events can follow it."""
        last = head.last_seq
        while last > 0:
            first = Sequence(max(1, last - 20))
            for event in (await self._read(head, first, limit=last - first + 1)).events:
                if event.kind in TERMINAL_KINDS:
                    return _outcome(event)
            last = Sequence(first - 1)
        raise Gone(f"{head.execution_id} has ended, but its end was deleted", execution_id=head.execution_id)

    async def _await_end(self, head: Head) -> Outcome:
        seen, pause_s = head.last_seq, LOOK_S
        while True:
            log = await self._read(head, Sequence(seen + 1), wait_ms=POLL_WAIT_MS)
            for event in log.events:
                if event.kind in TERMINAL_KINDS:
                    return _outcome(event)
            if not log.events:
                await asyncio.sleep(pause_s)
            pause_s = LOOK_S if log.events else min(LOOK_CAP_S, pause_s * 2)
            seen = log.events[-1].seq if log.events else seen

    async def _read(self, head: Head, first: Sequence, *, limit: int = PAGE, wait_ms: int = 0) -> c.Log:
        call = c.ReadEvents(
            namespace=head.namespace,
            execution_id=head.execution_id,
            incarnation=head.incarnation,
            from_seq=first,
            limit=limit,
            wait_ms=wait_ms,
        )
        return await self.store.read_events(call)

    async def get(self, execution_id: str) -> Head:
        """Where it stands. Raises NotFound, Deleted."""
        return await self.store.read_head(c.ReadHead(namespace=self.namespace, execution_id=ExecutionId(execution_id)))

    async def why(self, execution_id: str) -> c.Why:
        """Why it is not moving, as a causal chain."""
        return await self.store.read_why(c.ReadWhy(namespace=self.namespace, execution_id=ExecutionId(execution_id)))

    async def events(self, execution_id: str, *, from_seq: int = 1) -> AsyncIterator[Event]:
        """Its log from `from_seq` to where it stands now."""
        head = await self.get(execution_id)
        seq = from_seq
        while seq <= head.last_seq:
            log = await self._read(head, Sequence(seq))
            for event in log.events:
                yield event
            if not log.events:
                return
            seq = log.events[-1].seq + 1

    async def list(
        self,
        *,
        statuses: Iterable[Status | str] | None = None,
        workflow: str | None = None,
        id_prefix: str | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[Head]:
        """Executions, newest first, at most `limit`."""
        chosen = None if statuses is None else tuple(Status(status) for status in statuses)
        cursor, left = None, limit
        while left is None or left > 0:
            call = c.ListExecutions(
                namespace=self.namespace,
                statuses=chosen,
                workflow=workflow,
                id_prefix=id_prefix,
                cursor=cursor,
                limit=100 if left is None else min(100, left),
            )
            page = await self.store.list_executions(call)
            for head in page.items:
                yield head
            left, cursor = None if left is None else left - len(page.items), page.cursor
            if cursor is None:
                return


class Execution:
    """One that this client started, or found: its calls mean this chain and no later one under the same id."""

    def __init__(self, *, client: Client, started: c.Started, result_type: Any) -> None:
        self.id: str = started.execution.execution_id
        self.incarnation: Incarnation = started.execution.incarnation
        self.chain: Chain = started.chain
        self.created = started.created
        self._client = client
        self._result_type = result_type

    async def result(self, *, timeout: Duration | None = None) -> Any:
        """Wait for its result, of the type that its workflow is annotated with. Raises as `Client.result`."""
        return await self._client.result(self.id, timeout=timeout, type=self._result_type, chain=self.chain)

    async def send(self, name: str, payload: Any = None, *, key: str | None = None, id: str | None = None) -> c.Sent:
        return await self._client.send(self.id, name, payload, key=key, id=id, chain=self.chain)

    async def cancel(self, *, reason: str | None = None, deadline: Duration | None = None) -> c.CancelRequested:
        return await self._client.cancel(self.id, reason=reason, deadline=deadline, chain=self.chain)

    def __repr__(self) -> str:
        return f"<execution {self.id}@{int(self.incarnation)}>"


def open_store(store: str | Client | EventStore) -> tuple[EventStore, bool]:
    """The store meant, and whether it was opened here and is to be closed by who asked."""
    if isinstance(store, str):
        return HttpEventStore(store), True
    return (store.store, False) if isinstance(store, Client) else (store, False)


def _outcome(event: Event) -> Outcome:
    status = Status(event.kind.removeprefix("EXECUTION_").lower())
    return Outcome(status=status, payload=event.payload.parsed(), seq=event.seq)


def _receiver(
    workflow: Described | str,
    args: Iterable[Any],
    queue: str | None,
    timeout: Duration | None,
    delay: Duration | None,
) -> c.StartIfAbsent:
    name, version = _named(workflow)
    return c.StartIfAbsent(
        workflow=name,
        code_version=version,
        queue=queue,
        input=encode_arguments(tuple(args)),
        delay_ms=ms_of(delay),
        timeout_ms=ms_of(timeout),
    )


def _named(workflow: Described | str) -> tuple[str, str]:
    if not isinstance(workflow, str):
        return workflow.name, workflow.version
    name, _, version = workflow.partition("@")
    return name, version or "0"
