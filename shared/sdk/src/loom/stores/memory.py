"""The store in dicts: the oracle that every other body is compared with, and the tests' store."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from random import Random, SystemRandom
from typing import Any

from loom.clock import Clock, SystemClock
from loom.errors import LoomError
from loom.ids import ANY, ExecutionId, ExecutionRef, Incarnation, Instant, Namespace, SeenIncarnation, Sequence, Token
from loom.kernel import calls as c
from loom.kernel.change import (
    Change,
    ForgetNodes,
    Moment,
    MoveEdge,
    MoveMessages,
    Refusal,
    RemovePinRow,
    RemoveRows,
    Write,
    WriteDuty,
    WriteEdge,
    WriteEvents,
    WriteFeatures,
    WriteGrant,
    WriteHead,
    WriteHint,
    WriteMessage,
    WriteNode,
    WritePin,
)
from loom.kernel.decide import decide
from loom.kernel.events import Event
from loom.kernel.features import FEATURES
from loom.kernel.guards import existing, living, named
from loom.kernel.heads import ENDED, LIVE, Duty, GrantRow, Head, Mail, Node, Pin, RefusalRow
from loom.kernel.hints import Envelope
from loom.kernel.kinds import TERMINAL_KINDS, kind_of
from loom.kernel.limits import Limits
from loom.kernel.parks import Edge
from loom.kernel.wellformed import check_wellformed
from loom.kernel.why import Surroundings, why
from loom.stores.deciding import (
    POLL_SEEN_MS,
    ROWS_KEPT,
    DecidingStore,
    claims_from,
    claims_of,
    due_of,
    is_runnable,
    is_still_held,
    open_park,
    stamped,
    still_held,
)
from loom.stores.event_store import PORT_VERSION
from loom.tracing import current


class Rows:
    """Every table as a dict, and the view that the kernel decides on."""

    def __init__(self) -> None:
        self.heads: dict[int, Head] = {}
        self.ids: dict[tuple[Namespace, ExecutionId], int] = {}
        self.incarnations: dict[Incarnation, int] = {}
        self.events: dict[int, list[Event]] = defaultdict(list)
        self.batches: dict[tuple[int, str], Event] = {}
        self.edges: dict[tuple[Incarnation, str], Edge] = {}
        self.inbox: dict[int, dict[str, Mail]] = defaultdict(dict)
        self.pin_rows: dict[int, dict[str, Pin]] = defaultdict(dict)
        self.grants: dict[int, list[GrantRow]] = defaultdict(list)
        self.refusals: dict[int, dict[tuple[Token, str], RefusalRow]] = defaultdict(dict)
        self.outbox: dict[int, tuple[int, Envelope]] = {}
        self.duties: dict[str, Duty] = {}
        self.nodes: dict[str, Node] = {}
        self.features_on: tuple[str, ...] = FEATURES
        self.polls: dict[tuple[Namespace, str, str, str], Instant] = {}
        self.last_outbox = 0
        self.hint_refusals: Counter[int] = Counter()
        self.dead_hints: set[int] = set()

    def head_named(self, namespace: Namespace, execution_id: ExecutionId) -> Head | None:
        head = self.ids.get((namespace, execution_id))
        return None if head is None else self.heads[head]

    def head_of(self, incarnation: Incarnation) -> Head | None:
        head = self.incarnations.get(incarnation)
        return None if head is None else self.heads[head]

    def event(self, head: int, seq: Sequence) -> Event | None:
        events = self.events[head]
        return events[seq - 1] if 0 < seq <= len(events) else None

    def terminal_event(self, head: int) -> Event | None:
        return next((event for event in self.events[head] if kind_of(event.kind) in TERMINAL_KINDS), None)

    def event_of_batch(self, head: int, batch_id: str) -> Event | None:
        return self.batches.get((head, batch_id))

    def answer_of_park(self, head: int, park_seq: Sequence) -> Event | None:
        return next((event for event in self.events[head] if event.answers_park == park_seq), None)

    def edge(self, parent: ExecutionRef, child_key: str) -> Edge | None:
        return self.edges.get((parent.incarnation, child_key))

    def edges_of_child(self, child: ExecutionRef) -> tuple[Edge, ...]:
        return tuple(edge for edge in self.edges.values() if edge.child.incarnation == child.incarnation)

    def edges_of_parent(self, parent: ExecutionRef) -> tuple[Edge, ...]:
        return tuple(edge for edge in self.edges.values() if edge.parent.incarnation == parent.incarnation)

    def message(self, head: int, message_id: str) -> Mail | None:
        return self.inbox[head].get(message_id)

    def waiting(self, head: int) -> list[Mail]:
        waiting = (message for message in self.inbox[head].values() if message.consumed_at_seq is None)
        return sorted(waiting, key=lambda message: message.inbox_seq)

    def oldest_message(self, head: int, name: str, key: str | None) -> Mail | None:
        return next((mail for mail in self.waiting(head) if mail.name == name and key in (None, mail.key)), None)

    def waiting_messages(self, head: int) -> int:
        return len(self.waiting(head))

    def last_inbox_seq(self, head: int) -> int:
        return max((message.inbox_seq for message in self.inbox[head].values()), default=0)

    def open_children(self, parent: ExecutionRef) -> int:
        return sum(not edge.ended for edge in self.edges_of_parent(parent))

    def has_outcomes(self, parent: ExecutionRef) -> bool:
        return any(
            edge.ended and edge.consumed_at_seq is None and not edge.released for edge in self.edges_of_parent(parent)
        )

    def pins(self, head: int) -> tuple[Pin, ...]:
        return tuple(self.pin_rows[head].values())

    def duty(self, name: str) -> Duty | None:
        return self.duties.get(name)

    def features(self) -> tuple[str, ...]:
        return self.features_on

    def fleet(self) -> tuple[Node, ...]:
        return tuple(sorted(self.nodes.values(), key=lambda node: (node.role, node.instance)))

    def apply(self, write: Write) -> None:
        """One row of a change."""
        match write:
            case WriteHead(head):
                self._write_head(head)
            case WriteEvents(head, events):
                self.events[head].extend(events)
                self.batches.update({(head, event.batch_id): event for event in events if event.batch_id is not None})
            case WriteEdge(edge):
                self.edges[edge.parent.incarnation, edge.child_key] = edge
            case MoveEdge(edge, parent):
                self._move_edge(edge, parent)
            case MoveMessages(head, to, consumed_since):
                self._move_messages(head, to, consumed_since)
            case WriteMessage(head, message):
                self.inbox[head][message.message_id] = message
            case WriteHint(head, envelope):
                self.last_outbox += 1
                self.outbox[self.last_outbox] = (head, envelope)
            case WriteGrant(head, grant):
                self.grants[head] = [*self.grants[head], grant][-ROWS_KEPT:]
            case WritePin(head, pin):
                self.pin_rows[head][pin.owner] = pin
            case RemovePinRow(head, owner):
                self.pin_rows[head].pop(owner, None)
            case RemoveRows(head, parent):
                self._remove(head, parent)
            case WriteDuty(duty):
                self.duties[duty.name] = duty
            case WriteNode(node):
                self.nodes[node.instance] = node
            case ForgetNodes(since):
                self.nodes = {name: node for name, node in self.nodes.items() if node.seen_at >= since}
            case WriteFeatures(features):
                self.features_on = features

    def _move_edge(self, edge: Edge, parent: ExecutionRef) -> None:
        """In place: a dict keeps the order of making only if the key does not move to its end."""
        before, after = (edge.parent.incarnation, edge.child_key), (parent.incarnation, edge.child_key)
        moved = replace(edge, parent=parent)
        self.edges = {
            after if key == before else key: moved if key == before else row for key, row in self.edges.items()
        }

    def _move_messages(self, head: int, to: int, consumed_since: Instant) -> None:
        for message in list(self.inbox[head].values()):
            if message.consumed_at is None or message.consumed_at >= consumed_since:
                self.inbox[to][message.message_id] = self.inbox[head].pop(message.message_id)

    def _write_head(self, head: Head) -> None:
        before = self.heads.get(head.head)
        if before is not None and before.execution_id != head.execution_id:
            del self.ids[before.namespace, before.execution_id]
        if before is not None and before.incarnation != head.incarnation:
            del self.incarnations[before.incarnation]
        self.heads[head.head] = head
        self.ids[head.namespace, head.execution_id] = head.head
        self.incarnations[head.incarnation] = head.head

    def _remove(self, head: int, parent: ExecutionRef) -> None:
        for table in (self.events, self.inbox, self.pin_rows, self.grants, self.refusals):
            table.pop(head, None)
        self.batches = {key: event for key, event in self.batches.items() if key[0] != head}
        self.edges = {key: edge for key, edge in self.edges.items() if edge.parent.incarnation != parent.incarnation}


class MemoryEventStore(DecidingStore):
    """`clock` is injected; `limits` are the store's; `rng` makes incarnations (a seeded one repeats a run)."""

    def __init__(self, clock: Clock | None = None, *, limits: Limits | None = None, rng: Random | None = None) -> None:
        self.rows = Rows()
        self.epoch = 1
        self._clock = clock or SystemClock()
        self._limits = limits or Limits()
        self._rng = rng or SystemRandom()
        self._last_head = 0

    def moment(self) -> Moment:
        return Moment(
            now=self._clock.now(),
            epoch=self.epoch,
            limits=self._limits,
            new_incarnation=lambda: Incarnation(self._rng.getrandbits(63)),
            new_head=self._new_head,
            traceparent=current(),
        )

    def _new_head(self) -> int:
        self._last_head += 1
        return self._last_head

    async def _write(self, call: c.WriteCall) -> Any:
        check_wellformed(call, self._limits)
        moment = self.moment()
        decision = decide(self.rows, call, moment)
        if isinstance(decision, Refusal):
            self._record_refusal(decision, moment)
            raise decision.error
        self.commit(decision)
        if isinstance(decision.answer, LoomError):
            raise decision.answer
        return decision.answer

    def commit(self, change: Change) -> None:
        """The rows of one transaction; nothing here can fail half-way."""
        for write in change.writes:
            self.rows.apply(write)

    def _record_refusal(self, refusal: Refusal, moment: Moment) -> None:
        if refusal.head is None or refusal.presented is None or refusal.current is None:
            return
        rows = self.rows.refusals[refusal.head]
        before = rows.pop((refusal.presented, refusal.surface), None)
        rows[refusal.presented, refusal.surface] = RefusalRow(
            token=refusal.presented,
            surface=refusal.surface,
            code=refusal.error.code,
            current_token=refusal.current,
            count=before.count + 1 if before else 1,
            first_at=before.first_at if before else moment.now,
            last_at=moment.now,
        )
        while len(rows) > ROWS_KEPT:
            del rows[next(iter(rows))]

    async def claim_runnable(self, call: c.ClaimRunnable) -> c.Claims:
        check_wellformed(call, self._limits)
        moment = self.moment()
        for workflow in call.workflows:
            self.rows.polls[call.namespace, call.queue, workflow, call.owner] = moment.now
        held = [head for head in self.rows.heads.values() if is_still_held(call, head, moment)]
        if held:
            return c.Claims(items=tuple(still_held(call, head) for head in held))
        runnable = (head for head in self.rows.heads.values() if is_runnable(head, call, moment))
        candidates = tuple(sorted(runnable, key=lambda head: (head.status_at, head.head)))
        changes = claims_of(self.rows, call, candidates, moment)
        for change in changes:
            self.commit(change)
        return claims_from(changes)

    async def read_head(self, call: c.ReadHead) -> Head:
        check_wellformed(call, self._limits)
        return named(self.rows.head_named(call.namespace, call.execution_id), call.execution_id)

    def _seen(self, namespace: Namespace, execution_id: ExecutionId, incarnation: SeenIncarnation) -> Head:
        return living(self.rows.head_named(namespace, execution_id), incarnation, of=execution_id)

    async def read_events(self, call: c.ReadEvents) -> c.Log:
        check_wellformed(call, self._limits)
        head = self.rows.head_named(call.namespace, call.execution_id)
        if head is None:
            return c.Log(events=(), last_seq=Sequence(0))
        if call.incarnation != ANY:
            living(head, call.incarnation)
        start = max(call.from_seq - 1, 0)
        events = tuple(self.rows.events[head.head][start : start + call.limit])
        return c.Log(events=events, last_seq=head.last_seq, incarnation=head.incarnation, status=head.status)

    async def read_park(self, call: c.ReadPark) -> c.OpenPark:
        check_wellformed(call, self._limits)
        return open_park(self.rows, self._seen(call.namespace, call.execution_id, call.incarnation))

    async def read_inbox(self, call: c.ReadInbox) -> c.Inbox:
        check_wellformed(call, self._limits)
        head = self._seen(call.namespace, call.execution_id, call.incarnation)
        waiting = (
            mail
            for mail in self.rows.waiting(head.head)
            if mail.inbox_seq > call.after and call.name in (None, mail.name) and call.key in (None, mail.key)
        )
        return c.Inbox(items=tuple(waiting)[: call.limit])

    async def read_children(self, call: c.ReadChildren) -> c.Children:
        check_wellformed(call, self._limits)
        head = self._seen(call.namespace, call.execution_id, call.incarnation)
        edges = self.rows.edges_of_parent(head.ref)
        keys = [edge.child_key for edge in edges]
        start = keys.index(call.after) + 1 if call.after in keys else 0
        return c.Children(items=edges[start : start + call.limit])

    async def read_pins(self, call: c.ReadPins) -> c.Pins:
        check_wellformed(call, self._limits)
        head = self._seen(call.namespace, call.execution_id, call.incarnation)
        return c.Pins(items=tuple(sorted(self.rows.pins(head.head), key=lambda pin: pin.owner)))

    async def read_ownership(self, call: c.ReadOwnership) -> c.Ownership:
        check_wellformed(call, self._limits)
        head = existing(self.rows.head_named(call.namespace, call.execution_id), call.execution_id)
        writes: dict[Token, c.Writes] = {}
        for event in self.rows.events[head.head]:
            first = writes.get(event.fence)
            writes[event.fence] = c.Writes(
                token=event.fence,
                first_seq=first.first_seq if first else event.seq,
                last_seq=event.seq,
                count=first.count + 1 if first else 1,
            )
        return c.Ownership(
            token=head.token,
            owner=head.owner,
            lease_until=head.lease_until,
            grants=tuple(self.rows.grants[head.head]),
            refusals=tuple(self.rows.refusals[head.head].values()),
            writes=tuple(writes.values()),
        )

    async def read_why(self, call: c.ReadWhy) -> c.Why:
        check_wellformed(call, self._limits)
        head = named(self.rows.head_named(call.namespace, call.execution_id), call.execution_id)
        now = self._clock.now()
        polled = (head.namespace, head.queue, f"{head.workflow}@{head.code_version}")
        around = Surroundings(
            edges={edge.child_key: edge for edge in self.rows.edges_of_parent(head.ref)},
            outbox=sum(row[0] == head.head for row in self.rows.outbox.values()),
            pollers=sum(key[:3] == polled and now - seen < POLL_SEEN_MS for key, seen in self.rows.polls.items()),
            pins=self.rows.pins(head.head),
            limits=self._limits,
            now=now,
        )
        return c.Why(head=head, reasons=why(head, around))

    async def list_executions(self, call: c.ListExecutions) -> c.Executions:
        """Newest first; the cursor is the surrogate of the last head shown."""
        check_wellformed(call, self._limits)
        before = int(call.cursor) if call.cursor else self._last_head + 1
        matching = [
            head
            for number, head in sorted(self.rows.heads.items(), reverse=True)
            if number < before and _matches(head, call)
        ]
        page = matching[: call.limit]
        return c.Executions(items=tuple(page), cursor=str(page[-1].head) if len(matching) > call.limit else None)

    async def count_executions(self, call: c.CountExecutions) -> c.Counts:
        check_wellformed(call, self._limits)
        counts: dict[str, int] = {}
        for head in self.rows.heads.values():
            if head.namespace == call.namespace:
                counts[head.status.value] = counts.get(head.status.value, 0) + 1
        return c.Counts(counts=counts)

    async def list_namespaces(self, call: c.ListNamespaces) -> c.Namespaces:
        check_wellformed(call, self._limits)
        return c.Namespaces(items=tuple(sorted({head.namespace for head in self.rows.heads.values()})))

    async def list_due(self, call: c.ListDue) -> c.DueList:
        """By surrogate; the cursor is the last one shown."""
        check_wellformed(call, self._limits)
        after = int(call.cursor) if call.cursor else 0
        moment = self.moment()
        found: list[c.Due] = []
        for number, head in sorted(self.rows.heads.items()):
            if number > after and head.status in LIVE:
                due = due_of(self.rows, call, head, moment)
                found.extend(due)
                if len(found) == call.limit:
                    return c.DueList(items=tuple(found), cursor=str(number))
        return c.DueList(items=tuple(found), cursor=None)

    async def read_duty(self, call: c.ReadDuty) -> Duty:
        check_wellformed(call, self._limits)
        return self.rows.duty(call.name) or Duty(name=call.name)

    async def read_store(self, call: c.ReadStore) -> c.StoreInfo:
        check_wellformed(call, self._limits)
        return c.StoreInfo(
            port_version=PORT_VERSION,
            epoch=self.epoch,
            schema_version=1,
            features=self.rows.features(),
            limits=self._limits,
            fleet=self.rows.fleet(),
        )

    async def read_outbox(self, after: int, limit: int) -> tuple[tuple[int, Envelope], ...]:
        ids = sorted(id for id in self.rows.outbox if id > after and id not in self.rows.dead_hints)[:limit]
        return tuple((id, self.rows.outbox[id][1]) for id in ids)

    async def delete_outbox(self, ids: tuple[int, ...]) -> None:
        for id in ids:
            self.rows.outbox.pop(id, None)

    async def refuse_outbox(self, ids: tuple[int, ...], *, attempts_max: int) -> tuple[int, ...]:
        self.rows.hint_refusals.update(id for id in ids if id in self.rows.outbox)
        dead = tuple(id for id in ids if self.rows.hint_refusals[id] >= attempts_max)
        self.rows.dead_hints.update(dead)
        return dead

    async def append_stamped(self, execution: ExecutionRef, kind: str) -> Sequence:
        head = living(self.rows.head_named(execution.namespace, execution.execution_id), execution.incarnation)
        self.commit(stamped(self.rows, head, kind, self.moment()))
        return Sequence(head.last_seq + 1)

    async def raise_epoch(self) -> int:
        self.epoch += 1
        return self.epoch


def _matches(head: Head, call: c.ListExecutions) -> bool:
    return (
        head.namespace == call.namespace
        and (call.statuses is None or head.status in call.statuses)
        and call.workflow in (None, head.workflow)
        and (call.id_prefix is None or head.execution_id.startswith(call.id_prefix))
        and (
            call.ended_before is None
            or (head.status in ENDED and head.ended_at is not None and head.ended_at < call.ended_before)
        )
    )
