"""Ends: by the owner's terminal event, a cancel, an operator; and the deletion of what has ended."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from loom.errors import ExecutionPinned, IllegalTransition, NotYet, ResumeContended
from loom.ids import Instant, Sequence
from loom.kernel import calls as c
from loom.kernel.change import Change, Moment, RemoveRows, View
from loom.kernel.decisions.draft import Draft
from loom.kernel.decisions.repeats import first_event, named_head
from loom.kernel.decisions.resuming import reopen
from loom.kernel.decisions.sizes import check_result
from loom.kernel.digests import digest_of, digest_of_text
from loom.kernel.guards import check_own, is_seen, judge, living, of_chain
from loom.kernel.heads import EDGE_STATUS, Head, Status
from loom.kernel.hints import ChildDone
from loom.kernel.kinds import EventKind
from loom.kernel.pins import why_pinned
from loom.kernel.raw_json import NULL, RawJson, encode
from loom.kernel.requests import request_in

STATUS_OF: dict[EventKind, Status] = {
    EventKind.EXECUTION_COMPLETED: Status.COMPLETED,
    EventKind.EXECUTION_FAILED: Status.FAILED,
    EventKind.EXECUTION_CANCELLED: Status.CANCELLED,
    EventKind.EXECUTION_CONTINUED: Status.CONTINUED,
}


def end(draft: Draft, kind: EventKind, payload: RawJson, *, position: int | None = None) -> Sequence:
    """The terminal event, the head's end, and the outcome on every edge that names this execution as child (I41)."""
    seq = close_log(draft, kind, payload, position=position)
    edge_status = EDGE_STATUS[draft.head.status]
    for edge in draft.edges_of_child():
        draft.write_edge(replace(edge, status=edge_status, outcome=payload))
        draft.hint(
            ChildDone(
                namespace=edge.parent.namespace,
                parent=edge.parent.execution_id,
                parent_incarnation=edge.parent.incarnation,
                child_key=edge.child_key,
                child=draft.head.execution_id,
                child_incarnation=draft.head.incarnation,
                status=edge_status,
                sequence=seq,
            )
        )
    return seq


def close_log(draft: Draft, kind: EventKind, payload: RawJson, *, position: int | None = None) -> Sequence:
    """The terminal event and the head's end; nobody owns it, nothing is due any more."""
    seq = draft.add(kind, payload, position=position)
    status = STATUS_OF[kind]
    draft.move(
        status=status,
        ending=status,
        ended_at=draft.moment.now,
        result_digest=digest_of_text(payload),
        owner=None,
        grant_hash=None,
        lease_until=None,
        park_seq=None,
        waits=(),
        wake_at=None,
        unknown_tail=False,
        not_before=None,
        cancel_deadline=None,
    )
    return seq


def cancelled_payload(by: str, reason: str | None, detail: RawJson = NULL) -> RawJson:
    """What an EXECUTION_CANCELLED says: by what (request, deadline, terminate, parent), why, and the owner's detail."""
    return encode({"by": by, "reason": reason, "detail": detail})


def cancel(view: View, call: c.Cancel, moment: Moment) -> Change:
    """A request with a deadline (I57): ends a pending first link, re-opens a park, is told to a running owner."""
    head = of_chain(view.head_named(call.namespace, call.execution_id), call.chain, of=call.execution_id)
    if first_event(view, head, call) is not None or (head.cancel_seq is not None and not head.ended):
        return Change((), _requested(head))
    _check_not_ended(head)
    if head.unknown_tail:
        raise ResumeContended(f"{head.execution_id} was answered by a newer server's event", attempts=1)
    if call.by == "deadline" and (head.deadline_at is None or head.deadline_at > moment.now):
        raise NotYet(f"the deadline of {head.execution_id} has not passed", execution_id=head.execution_id)
    draft = Draft(view, moment, head).keyed(call.batch_id, digest_of(call))
    if is_unbegun(head):
        end(draft, EventKind.EXECUTION_CANCELLED, cancelled_payload(call.by, call.reason))
    else:
        _request(draft, call)
    return draft.change(_requested(draft.head))


def is_unbegun(head: Head) -> bool:
    """Has no body of it ever run? Of a pending later link the earlier ones did: they may have something to undo."""
    return head.status is Status.PENDING and head.link == 1


def _request(draft: Draft, call: c.Cancel) -> None:
    now = draft.moment.now
    deadline_ms = draft.moment.limits.cancel_deadline_ms if call.deadline_ms is None else call.deadline_ms
    seq = draft.add(EventKind.EXECUTION_CANCEL_REQUESTED, encode({"by": call.by, "reason": call.reason}))
    draft.move(cancel_requested_at=now, cancel_seq=seq, cancel_deadline=Instant(now + deadline_ms))
    if draft.head.status is Status.PARKED:
        reopen(draft, by="cancel")


def requested(view: View, head: Head) -> dict[str, Any]:
    """Who requested the cancel that is open on this head, and why: `{"by", "reason"}`."""
    assert head.cancel_seq is not None, "asked of a head with a request"
    event = view.event(head.head, head.cancel_seq)
    said = None if event is None else request_in(event)
    assert said is not None, "a request is an event of the same log, or came along in its first"
    return said


def _requested(head: Head) -> c.CancelRequested:
    return c.CancelRequested(execution=head.ref, status=head.status, cancel_seq=head.cancel_seq)


def _check_not_ended(head: Head) -> None:
    if head.ended:
        raise IllegalTransition(
            f"{head.execution_id} has already {head.status}", execution_id=head.execution_id, state=str(head.status)
        )


def terminate(view: View, call: c.Terminate, moment: Moment) -> Change:
    """End at once, under a token of its own; with `cancel_seq` only because that request's deadline has passed."""
    repeat = _repeated_end(view, call)
    if repeat:
        return repeat
    head = living(view.head_named(call.namespace, call.execution_id), call.incarnation, of=call.execution_id)
    _check_not_ended(head)
    if call.cancel_seq is not None:
        _check_overdue(head, call.cancel_seq, moment)
    by = call.by if call.cancel_seq is None else "deadline"
    return _end_by_operator(view, call, moment, head, EventKind.EXECUTION_CANCELLED, cancelled_payload(by, call.reason))


def _check_overdue(head: Head, cancel_seq: Sequence, moment: Moment) -> None:
    if head.cancel_seq != cancel_seq:
        raise IllegalTransition(
            f"{head.execution_id} has no cancel request {cancel_seq}", execution_id=head.execution_id
        )
    if head.cancel_deadline is None or head.cancel_deadline > moment.now:
        raise NotYet(f"the cancel deadline of {head.execution_id} has not passed", execution_id=head.execution_id)


def fail(view: View, call: c.Fail, moment: Moment) -> Change:
    """An operator's end of what cannot be helped."""
    repeat = _repeated_end(view, call)
    if repeat:
        return repeat
    head = living(view.head_named(call.namespace, call.execution_id), call.incarnation, of=call.execution_id)
    _check_not_ended(head)
    check_result(call.failure, moment.limits)
    return _end_by_operator(view, call, moment, head, EventKind.EXECUTION_FAILED, call.failure)


def _repeated_end(view: View, call: c.Terminate | c.Fail) -> Change | None:
    head = named_head(view, call)
    event = first_event(view, head, call)
    if event is None or head is None:
        return None
    return Change((), c.Ended(seq=event.seq, status=head.ending or head.status, token=head.token))


def _end_by_operator(
    view: View, call: c.Terminate | c.Fail, moment: Moment, head: Head, kind: EventKind, payload: RawJson
) -> Change:
    draft = Draft(view, moment, head).keyed(call.batch_id, digest_of(call))
    draft.bump()
    seq = end(draft, kind, payload)
    return draft.change(c.Ended(seq=seq, status=draft.head.status, token=draft.head.token))


def delete(view: View, call: c.Delete, moment: Moment) -> Change:
    """Terminal, archived where archiving is on, unpinned: rows go, the head stays as tombstone (I45, I46)."""
    check_own(call.credential, call.namespace, call.execution_id)
    head = view.head_named(call.namespace, call.execution_id)
    if call.credential:
        judge(head, call.credential, moment)
    if head is not None and head.status is Status.DELETED and is_seen(head, call.incarnation):
        return Change((), c.Erased(token=head.token, ending=head.ending or Status.DELETED))
    head = living(head, call.incarnation, of=call.execution_id)
    _check_deletable(view, head, call, moment)
    if call.dry_run:
        return Change((), c.Erased(token=head.token, ending=head.status))
    return _tombstone(view, head, moment)


def _check_deletable(view: View, head: Head, call: c.Delete, moment: Moment) -> None:
    if not head.ended:
        raise IllegalTransition(
            f"{head.execution_id} is {head.shown}: only what has ended can be deleted", execution_id=head.execution_id
        )
    if call.archived and head.archived_seq != head.last_seq:
        raise ExecutionPinned(
            f"{head.execution_id} is archived up to {head.archived_seq} of {head.last_seq}: archive it first",
            execution_id=head.execution_id,
        )
    edges = [(edge, view.head_of(edge.parent.incarnation)) for edge in view.edges_of_child(head.ref)]
    reason = why_pinned(edges, view.edges_of_parent(head.ref), view.pins(head.head), moment.now)
    if reason:
        raise ExecutionPinned(f"{head.execution_id} is pinned: {reason}", execution_id=head.execution_id)


def _tombstone(view: View, head: Head, moment: Moment) -> Change:
    draft = Draft(view, moment, head)
    draft.move(status=Status.DELETED, last_position=None, log_bytes=0, archived_seq=None)
    for edge in draft.edges_of_child():
        if edge.consumed_at_seq is None:
            draft.write_edge(replace(edge, status="removed", outcome=None))
    draft.write(RemoveRows(head.head, head.ref))
    return draft.change(c.Erased(token=head.token, ending=head.status))
