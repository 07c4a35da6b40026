"""Append: the owner's events, single or across executions, and the audit call."""

from __future__ import annotations

from dataclasses import replace

from loom.errors import (
    IllegalTransition,
    Invalid,
    LoomError,
    OrderViolation,
    SequenceConflict,
    TooLarge,
    UnchangedMismatch,
)
from loom.ids import Sequence
from loom.kernel import calls as c
from loom.kernel.change import Change, Moment, View
from loom.kernel.decisions.draft import Draft, PendingEdges, joined
from loom.kernel.decisions.ending import cancelled_payload, end, requested
from loom.kernel.decisions.owning import what_waits
from loom.kernel.decisions.parking import fruitful
from loom.kernel.decisions.repeats import first_event, named_head
from loom.kernel.decisions.resuming import consume_message, consume_outcome
from loom.kernel.decisions.sizes import check_carried, check_result, check_together
from loom.kernel.digests import digest_of
from loom.kernel.events import NewEvent
from loom.kernel.guards import check_own, judge_writer, living
from loom.kernel.heads import Head, Status
from loom.kernel.kinds import AUDIT_KINDS, COMPLETING_KINDS, TERMINAL_KINDS, EventKind, kind_of
from loom.kernel.legality import Writer, check_appendable, check_legal
from loom.kernel.limits import Limits

MAX_JUMP = 2**31


def append(view: View, call: c.Append, moment: Moment) -> Change:
    """All of the call's events or none, judged in this order: credential, repeat, fence, sequences, kinds."""
    draft, answer = append_to(view, call, moment, {})
    return Change((), answer) if draft is None else draft.change(answer)


def append_to(
    view: View, call: c.Append, moment: Moment, edges: PendingEdges, batch: c.AppendBatch | None = None
) -> tuple[Draft | None, c.Appended]:
    """One execution's part; None for a repeat. `edges` are those that the same transaction has changed already."""
    check_own(call.credential, call.namespace, call.execution_id)
    earlier = named_head(view, call)
    repeat = first_event(view, earlier, call, batch)
    if repeat is not None and earlier is not None:
        last = Sequence(repeat.seq + len(call.events) - 1)
        return None, c.Appended(first_seq=repeat.seq, last_seq=last, waiting=what_waits(view, earlier))
    head = view.head_named(call.namespace, call.execution_id)
    writer = judge_writer(head, call.credential, call.incarnation, moment)
    assert head is not None
    check_sizes(call.events, moment.limits)
    check_sequences(head, call)
    draft = Draft(view, moment, head, edges).keyed(call.batch_id, digest_of(batch or call))
    if writer is Writer.SINGLE and head.status is Status.PENDING:
        draft.move(status=Status.RUNNING)
    for event in call.events:
        _record(draft, event, writer)
    for key in call.release:
        _release(draft, key)
    waiting = _mail_left(view, draft, call)
    return draft, c.Appended(first_seq=Sequence(head.last_seq + 1), last_seq=draft.head.last_seq, waiting=waiting)


def _mail_left(view: View, draft: Draft, call: c.Append) -> c.Waiting:
    """What waits after the call's own consumption."""
    waits = what_waits(view, draft.head)
    consumed = {event.kind for event in call.events}
    messages = view.waiting_messages(draft.head.head) - sum(
        event.kind == EventKind.MESSAGE_CONSUMED for event in call.events
    )
    outcomes = waits.outcomes
    if outcomes and (EventKind.CHILD_OUTCOME in consumed or call.release):
        edges = (draft.edge(edge.child_key) or edge for edge in view.edges_of_parent(draft.head.ref))
        outcomes = any(edge.ended and edge.consumed_at_seq is None and not edge.released for edge in edges)
    return replace(waits, messages=messages > 0, outcomes=outcomes)


def check_sizes(events: tuple[NewEvent, ...], limits: Limits) -> None:
    """Raises Invalid for no events, TooLarge over a limit, naming it."""
    if not events:
        raise Invalid("an append needs at least one event")
    if len(events) > limits.append_events:
        raise TooLarge(f"{len(events)} events, at most {limits.append_events} per append: split them")
    for event in events:
        check_carried(event.payload, "an event", limits)
        if event.kind in TERMINAL_KINDS:
            check_result(event.payload, limits)
    check_together((event.payload for event in events), limits)


def check_sequences(head: Head, call: c.Append) -> None:
    """Raises SequenceConflict, OrderViolation. After the fence: a stale write says stale (I22)."""
    if call.expected_seq is not None and call.expected_seq != head.last_seq:
        raise SequenceConflict(
            f"last sequence {call.expected_seq} expected, {head.last_seq} is stored",
            execution_id=head.execution_id,
            last_seq=head.last_seq,
        )
    last = head.last_position
    for event in call.events:
        if event.position is not None:
            if not is_next_position(last, event.position):
                raise OrderViolation(
                    f"position {event.position} does not follow {last}",
                    execution_id=head.execution_id,
                    last_position=last,
                )
            last = event.position


def is_next_position(last: int | None, position: int) -> bool:
    """Strictly greater; gaps are fine, jumps up to 2^31."""
    return (last is None and position >= 0) or (last is not None and last < position <= last + MAX_JUMP)


def _record(draft: Draft, event: NewEvent, writer: Writer) -> None:
    check_appendable(event.kind)
    if draft.head.ended:
        raise IllegalTransition(f"{event.kind} after the terminal event", execution_id=draft.head.execution_id)
    check_legal(event.kind, writer, draft.head)
    match kind_of(event.kind):
        case EventKind.MESSAGE_CONSUMED:
            _consume_named_message(draft, event)
        case EventKind.CHILD_OUTCOME:
            _consume_named_child(draft, event)
        case EventKind.EXECUTION_CANCELLED:
            _cancelled(draft, event)
        case kind if kind in TERMINAL_KINDS and kind is not None:
            end(draft, kind, event.payload, position=event.position)
        case _:
            draft.add(event.kind, event.payload, position=event.position, reserved=False)
    if kind_of(event.kind) in COMPLETING_KINDS:
        draft.move(**fruitful())


def _consume_named_message(draft: Draft, event: NewEvent) -> None:
    _check_not_worded(event, event.message_id, "message_id")
    message = draft.message(event.message_id or "")
    if message is None or message.consumed_at_seq is not None:
        raise IllegalTransition(f"no message {event.message_id} is waiting", execution_id=draft.head.execution_id)
    consume_message(draft, message, event.wait, position=event.position)


def _consume_named_child(draft: Draft, event: NewEvent) -> None:
    _check_not_worded(event, event.child_key, "child_key")
    edge = draft.edge(event.child_key or "")
    if edge is None or not edge.ended or edge.consumed_at_seq is not None:
        raise IllegalTransition(
            f"the child {event.child_key} has no outcome to consume", execution_id=draft.head.execution_id
        )
    consume_outcome(draft, edge, event.wait, position=event.position)


def _check_not_worded(event: NewEvent, name: str | None, member: str) -> None:
    if name is None or event.payload != "null":
        raise Invalid(f"{event.kind} names `{member}` and no payload: the store copies it")


def _cancelled(draft: Draft, event: NewEvent) -> None:
    """Says by what and why it was requested."""
    if draft.head.cancel_seq is None:
        raise IllegalTransition("nobody requested a cancel: fail or complete", execution_id=draft.head.execution_id)
    said = requested(draft.view, draft.head)
    payload = cancelled_payload(said["by"], said["reason"], event.payload)
    end(draft, EventKind.EXECUTION_CANCELLED, payload, position=event.position)


def _release(draft: Draft, key: str) -> None:
    if draft.head.status is Status.PARKED:
        raise IllegalTransition(f"a child is released while its parent runs, not while {draft.head.shown}")
    edge = draft.edge(key)
    if edge is None:
        raise IllegalTransition(f"no child under the key {key}", execution_id=draft.head.execution_id)
    if edge.consumed_at_seq is None:
        draft.write_edge(replace(edge, released=True))


def append_batch(view: View, call: c.AppendBatch, moment: Moment) -> Change:
    """Several executions in one transaction (I2). An error names the execution that refused."""
    ids = [item.execution_id for item in call.items]
    if not ids or len(set(ids)) < len(ids):
        raise Invalid("a batch names at least one execution, each once")
    if len(ids) > moment.limits.append_events:
        raise TooLarge(f"{len(ids)} executions, at most {moment.limits.append_events} per batch: split them")
    for item in call.items:
        check_own(item.credential, call.namespace, item.execution_id)
    edges: PendingEdges = {}
    parts = [_append_item(view, item, call, moment, edges) for item in call.items]
    drafts = [draft for draft, _ in parts if draft is not None]
    return joined(drafts, c.BatchAppended(items=tuple(answer for _, answer in parts)))


def _append_item(
    view: View, item: c.AppendItem, call: c.AppendBatch, moment: Moment, edges: PendingEdges
) -> tuple[Draft | None, c.Appended]:
    single = c.Append(
        namespace=call.namespace,
        batch_id=call.batch_id,
        execution_id=item.execution_id,
        credential=item.credential,
        incarnation=item.incarnation,
        events=item.events,
        expected_seq=item.expected_seq,
    )
    try:
        return append_to(view, single, moment, edges, call)
    except LoomError as error:
        error.facts.setdefault("execution_id", item.execution_id)
        raise


def append_if_unchanged(view: View, call: c.AppendIfUnchanged, moment: Moment) -> Change:
    """The audit call: audit kinds only, no credential, token and grant untouched (I28)."""
    repeat = first_event(view, named_head(view, call), call)
    if repeat is not None:
        return Change((), c.Noted(seq=repeat.seq))
    head = living(view.head_named(call.namespace, call.execution_id), call.incarnation, of=call.execution_id)
    check_audit_kind(call.kind)
    check_legal(call.kind, Writer.AUDITOR, head)
    if (call.token is not None and call.token != head.token) or (
        call.last_seq is not None and call.last_seq != head.last_seq
    ):
        raise UnchangedMismatch(
            f"token {head.token.shown} and sequence {head.last_seq} are current",
            execution_id=head.execution_id,
            current_token=str(int(head.token)),
            last_seq=head.last_seq,
        )
    check_carried(call.payload, "an event", moment.limits)
    draft = Draft(view, moment, head).keyed(call.batch_id, digest_of(call))
    return draft.change(c.Noted(seq=draft.add(call.kind, call.payload)))


def check_audit_kind(kind: str) -> None:
    """Raises IllegalTransition: if this call took any kind, every reader could write (H17)."""
    if kind_of(kind) not in AUDIT_KINDS:
        raise IllegalTransition(f"{kind} is no audit kind: {sorted(AUDIT_KINDS)}", kind=kind)
