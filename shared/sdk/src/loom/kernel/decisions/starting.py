"""Start an execution or a child. Only these make a head (I5)."""

from __future__ import annotations

import json
from dataclasses import replace

from loom.errors import AlreadyExists, Deleted, LimitReached
from loom.ids import Chain, ExecutionId, ExecutionRef, Incarnation, Instant, Namespace, Sequence, Token
from loom.kernel import calls as c
from loom.kernel.change import Change, Moment, View
from loom.kernel.decisions.draft import Draft, joined
from loom.kernel.decisions.repeats import first_event, named_head
from loom.kernel.decisions.sizes import check_carried
from loom.kernel.digests import child_id, digest_of
from loom.kernel.guards import check_own, judge_writer
from loom.kernel.heads import Head, Status
from loom.kernel.kinds import EventKind
from loom.kernel.legality import check_legal
from loom.kernel.parks import Edge
from loom.kernel.raw_json import RawJson, encode


def start(view: View, call: c.Start, moment: Moment) -> Change:
    """New head, or a tombstone's with `recreate`; its repeat is told by event 1."""
    check_carried(call.input, "an input", moment.limits)
    there = view.head_named(call.namespace, call.execution_id)
    if there is None or is_startable_tombstone(there, call):
        draft = _open(view, moment, call, call.execution_id, there, queue=call.queue, parent=None)
        _record_start(draft, call, parent=None)
        return draft.change(_started(draft.head, created=True))
    return Change((), _existing(view, there, call))


def is_startable_tombstone(there: Head, call: c.Start) -> bool:
    """A child's tombstone is started again by its parent only."""
    return there.status is Status.DELETED and call.recreate and there.parent_incarnation is None


def _existing(view: View, there: Head, call: c.Start) -> c.Started:
    if there.status is Status.DELETED:
        remedy = "to start it again say `recreate`" if there.parent_incarnation is None else "its parent started it"
        raise Deleted(
            f"{there.execution_id} was deleted after it {there.ending}: {remedy}",
            execution_id=there.execution_id,
            ending=None if there.ending is None else str(there.ending),
        )
    first = first_event(view, there, call)
    if first is not None:
        return replace(_started(there, created=True), token=first.fence, status=Status.PENDING)
    if call.if_exists == "raise" or there.workflow != call.workflow:
        raise AlreadyExists(
            f"{there.execution_id} exists: {there.workflow}, {there.shown}",
            execution_id=there.execution_id,
            incarnation=str(int(there.incarnation)),
        )
    return _started(there, created=False)


def _started(head: Head, *, created: bool) -> c.Started:
    return c.Started(execution=head.ref, chain=head.chain, token=head.token, status=head.status, created=created)


def _open(
    view: View,
    moment: Moment,
    call: c.Start | c.StartChild,
    execution_id: ExecutionId,
    there: Head | None,
    *,
    queue: str | None,
    parent: Head | None,
) -> Draft:
    incarnation = moment.new_incarnation()
    now = moment.now
    head = Head(
        head=there.head if there else moment.new_head(),
        namespace=call.namespace,
        execution_id=execution_id,
        incarnation=incarnation,
        chain=Chain(incarnation),
        single_writer=queue is None,
        token=there.token if there else Token(0),
        status=Status.PENDING,
        last_seq=Sequence(0),
        workflow=call.workflow,
        code_version=call.code_version,
        queue=queue,
        not_before=_after(now, call.delay_ms),
        deadline_at=_after(now, call.timeout_ms),
        root=parent.root if parent else incarnation,
        created_at=now,
        status_at=now,
    )
    return Draft(view, moment, head)


def _after(now: Instant, ms: int | None) -> Instant | None:
    return None if ms is None else Instant(now + ms)


def _record_start(draft: Draft, call: c.Start | c.StartChild, parent: dict[str, object] | None) -> None:
    if isinstance(call, c.Start):
        draft.keyed(call.batch_id, digest_of(call))
    payload = {
        "workflow": call.workflow,
        "code_version": call.code_version,
        "queue": draft.head.queue,
        "input": call.input,
        "parent": parent,
        "cancel": False,
    }
    draft.add(EventKind.EXECUTION_STARTED, encode(payload))
    draft.hint_runnable("started")


def start_child(view: View, call: c.StartChild, moment: Moment) -> Change:
    """Parent judged, edge looked for before the derived id, then CHILD_STARTED, edge and child in one transaction."""
    check_own(call.credential, call.namespace, call.execution_id)
    earlier = named_head(view, call)
    repeat = first_event(view, earlier, call)
    if repeat is not None:
        return Change((), c.ChildStarted(child=_child_in(repeat.payload), seq=repeat.seq, created=True))
    parent = view.head_named(call.namespace, call.execution_id)
    writer = judge_writer(parent, call.credential, call.incarnation, moment)
    assert parent is not None
    check_carried(call.input, "an input", moment.limits)
    check_legal(EventKind.CHILD_STARTED, writer, parent)
    edge = view.edge(parent.ref, call.child_key)
    if edge is not None:
        return Change((), _same_child(view, edge, call))
    _check_room(view, parent, moment)
    return _start_new_child(view, call, moment, parent)


def _child_in(payload: RawJson) -> ExecutionRef:
    child = json.loads(payload)["child"]
    return ExecutionRef(
        namespace=Namespace(child["namespace"]),
        execution_id=ExecutionId(child["execution_id"]),
        incarnation=Incarnation.parse(child["incarnation"]),
    )


def _same_child(view: View, edge: Edge, call: c.StartChild) -> c.ChildStarted:
    child = view.head_of(edge.child.incarnation)
    if child is not None and child.workflow != call.workflow:
        raise AlreadyExists(
            f"the key {call.child_key} already has a child of workflow {child.workflow}",
            execution_id=edge.child.execution_id,
        )
    return c.ChildStarted(child=edge.child, seq=None, created=False)


def _check_room(view: View, parent: Head, moment: Moment) -> None:
    if view.open_children(parent.ref) >= moment.limits.children_open:
        raise LimitReached(
            f"{parent.execution_id} has {moment.limits.children_open} open children: wait for some first",
            execution_id=parent.execution_id,
        )


def _start_new_child(view: View, call: c.StartChild, moment: Moment, parent: Head) -> Change:
    id = child_id(parent.ref, call.child_key)
    there = view.head_named(call.namespace, id)
    if there is not None and there.status is not Status.DELETED:
        raise AlreadyExists(
            f"{there.execution_id} exists and is no child of this parent", execution_id=there.execution_id
        )
    child = _open(view, moment, call, id, there, queue=call.queue or parent.queue, parent=parent)
    child.move(parent_head=parent.head, parent_incarnation=parent.incarnation, parent_key=call.child_key)
    _record_start(child, call, {**_form(parent.ref), "key": call.child_key})

    draft = Draft(view, moment, parent).keyed(call.batch_id, digest_of(call))
    if parent.status is Status.PENDING:
        draft.move(status=Status.RUNNING)
    payload = {"key": call.child_key, "child": child.head.ref, "workflow": call.workflow, "attached": False}
    seq = draft.add(EventKind.CHILD_STARTED, encode(payload), reserved=False)
    draft.write_edge(
        Edge(parent=parent.ref, child_key=call.child_key, child=child.head.ref, close=call.close, scope=call.scope)
    )
    return joined((child, draft), c.ChildStarted(child=child.head.ref, seq=seq, created=True))


def _form(ref: ExecutionRef) -> dict[str, object]:
    return {"namespace": ref.namespace, "execution_id": ref.execution_id, "incarnation": ref.incarnation}
