"""Start an execution or a child. Only these make a head (I5)."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from loom.errors import AlreadyExists, Deleted, IllegalTransition, Invalid, LimitReached
from loom.ids import Chain, ExecutionId, ExecutionRef, Incarnation, Instant, Namespace, Sequence, Token
from loom.kernel import calls as c
from loom.kernel.change import Change, Moment, View
from loom.kernel.decisions.draft import Draft, joined
from loom.kernel.decisions.repeats import first_event, named_head
from loom.kernel.decisions.sizes import check_carried
from loom.kernel.digests import child_id, digest_of
from loom.kernel.events import Event
from loom.kernel.guards import check_own, is_of_chain, judge_writer, of_chain
from loom.kernel.heads import EDGE_STATUS, Head, Status
from loom.kernel.kinds import EventKind
from loom.kernel.legality import check_legal
from loom.kernel.parks import Edge
from loom.kernel.raw_json import RawJson, encode


def start(view: View, call: c.Start, moment: Moment) -> Change:
    """New head, or a tombstone's with `recreate`; its repeat is told by event 1."""
    check_carried(call.input, "an input", moment.limits)
    there = view.head_named(call.namespace, call.execution_id)
    if there is None or is_startable_tombstone(there, call):
        address = (call.namespace, call.execution_id)
        draft = open_head(view, moment, call, there, address=address, queue=call.queue)
        record_start(draft.keyed(call.batch_id, digest_of(call)), call.input)
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
    first_link = view.head_of(Incarnation(there.chain))
    first = first_event(view, first_link, call)
    if first is not None:
        return _first_answer(there, first)
    if call.if_exists == "raise" or there.workflow != call.workflow:
        raise AlreadyExists(
            f"{there.execution_id} exists: {there.workflow}, {there.shown}",
            execution_id=there.execution_id,
            incarnation=str(int(there.incarnation)),
        )
    return _started(there, created=False)


def _first_answer(there: Head, first: Event) -> c.Started:
    """What the start of this chain answered, whichever link lives under the id now."""
    ref = replace(there.ref, incarnation=Incarnation(there.chain))
    return c.Started(execution=ref, chain=there.chain, token=first.fence, status=Status.PENDING, created=True)


def _started(head: Head, *, created: bool) -> c.Started:
    return c.Started(execution=head.ref, chain=head.chain, token=head.token, status=head.status, created=created)


Opening = c.Start | c.StartChild | c.StartIfAbsent


def open_head(
    view: View,
    moment: Moment,
    call: Opening,
    there: Head | None,
    *,
    address: tuple[Namespace, ExecutionId],
    queue: str | None,
    root: Incarnation | None = None,
) -> Draft:
    """A head that begins: a new row, or a tombstone's, whose token goes on (I19)."""
    incarnation = moment.new_incarnation()
    now = moment.now
    head = Head(
        head=there.head if there else moment.new_head(),
        namespace=address[0],
        execution_id=address[1],
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
        root=incarnation if root is None else root,
        created_at=now,
        status_at=now,
    )
    return Draft(view, moment, head)


def _after(now: Instant, ms: int | None) -> Instant | None:
    return None if ms is None else Instant(now + ms)


def record_start(
    draft: Draft,
    input: RawJson,
    *,
    parent: dict[str, object] | None = None,
    cancel: dict[str, Any] | None = None,
    reason: str = "started",
) -> None:
    """Event 1, from the head that begins; `cancel`: the request that came along from the link before."""
    head = draft.head
    payload = {
        "workflow": head.workflow,
        "code_version": head.code_version,
        "queue": head.queue,
        "input": input,
        "parent": parent,
        "cancel": cancel or False,
    }
    draft.add(EventKind.EXECUTION_STARTED, encode(payload))
    draft.hint_runnable(reason)


def start_child(view: View, call: c.StartChild, moment: Moment) -> Change:
    """Parent judged, edge looked for before the derived id, then CHILD_STARTED, edge and child in one transaction."""
    repeat = _repeated_child(view, call)
    if repeat:
        return repeat
    parent = _judged_parent(view, call, moment)
    check_carried(call.input, "an input", moment.limits)
    edge = view.edge(parent.ref, call.child_key)
    if edge is not None:
        return Change((), _same_child(view, edge, call))
    _check_room(view, parent, moment)
    return _start_new_child(view, call, moment, parent)


Adoption = c.StartChild | c.Attach


def _repeated_child(view: View, call: Adoption) -> Change | None:
    check_own(call.credential, call.namespace, call.execution_id)
    repeat = first_event(view, named_head(view, call), call)
    if repeat is None:
        return None
    return Change((), c.ChildStarted(child=_child_in(repeat.payload), seq=repeat.seq, created=True))


def _judged_parent(view: View, call: Adoption, moment: Moment) -> Head:
    parent = view.head_named(call.namespace, call.execution_id)
    writer = judge_writer(parent, call.credential, call.incarnation, moment)
    assert parent is not None
    check_legal(EventKind.CHILD_STARTED, writer, parent)
    return parent


def _child_in(payload: RawJson) -> ExecutionRef:
    child = json.loads(payload)["child"]
    return ExecutionRef(
        namespace=Namespace(child["namespace"]),
        execution_id=ExecutionId(child["execution_id"]),
        incarnation=Incarnation.parse(child["incarnation"]),
    )


def _same_child(view: View, edge: Edge, call: c.StartChild) -> c.ChildStarted:
    workflow = _workflow_begun(view, edge.child)
    if workflow not in (None, call.workflow):
        raise AlreadyExists(
            f"the key {call.child_key} already has a child of workflow {workflow}",
            execution_id=edge.child.execution_id,
        )
    return c.ChildStarted(child=edge.child, seq=None, created=False)


def _workflow_begun(view: View, child: ExecutionRef) -> str | None:
    """What the child was started as: a later link may be of another workflow, and its ended links may be gone."""
    newest = view.head_of(child.incarnation)
    if newest is None:
        return None
    return (view.head_of(Incarnation(newest.chain)) or newest).workflow


def _check_room(view: View, parent: Head, moment: Moment) -> None:
    if view.open_children(parent.ref) >= moment.limits.children_open:
        raise LimitReached(
            f"{parent.execution_id} has {moment.limits.children_open} open children: wait for some first",
            execution_id=parent.execution_id,
        )


def _start_new_child(view: View, call: c.StartChild, moment: Moment, parent: Head) -> Change:
    address = (call.namespace, child_id(parent.ref, call.child_key))
    there = view.head_named(*address)
    if there is not None and there.status is not Status.DELETED:
        raise AlreadyExists(
            f"{there.execution_id} exists and is no child of this parent", execution_id=there.execution_id
        )
    queue = call.queue or parent.queue
    child = open_head(view, moment, call, there, address=address, queue=queue, root=parent.root)
    child.move(parent_head=parent.head, parent_incarnation=parent.incarnation, parent_key=call.child_key)
    record_start(child, call.input, parent={**_form(parent.ref), "key": call.child_key})
    draft = Draft(view, moment, parent)
    seq = _adopt(draft, call, Edge(parent=parent.ref, child_key=call.child_key, child=child.head.ref), call.workflow)
    return joined((child, draft), c.ChildStarted(child=child.head.ref, seq=seq, created=True))


def _adopt(draft: Draft, call: Adoption, edge: Edge, workflow: str) -> Sequence:
    """CHILD_STARTED in the parent's log, and the edge, by the call's policy."""
    draft.keyed(call.batch_id, digest_of(call))
    if draft.head.status is Status.PENDING:
        draft.move(status=Status.RUNNING)
    attached = isinstance(call, c.Attach)
    payload = {"key": edge.child_key, "child": edge.child, "workflow": workflow, "attached": attached}
    seq = draft.add(EventKind.CHILD_STARTED, encode(payload), reserved=False)
    draft.write_edge(replace(edge, close=call.close, scope=call.scope))
    return seq


def _form(ref: ExecutionRef) -> dict[str, object]:
    return {"namespace": ref.namespace, "execution_id": ref.execution_id, "incarnation": ref.incarnation}


def attach(view: View, call: c.Attach, moment: Moment) -> Change:
    """An edge to a living or ended chain; if it has ended, its outcome is on the edge at once (I41)."""
    repeat = _repeated_child(view, call)
    if repeat:
        return repeat
    parent = _judged_parent(view, call, moment)
    edge = view.edge(parent.ref, call.child_key)
    if edge is not None:
        return Change((), _same_target(view, edge, call))
    child = of_chain(view.head_named(call.namespace, call.child_id), call.chain, of=call.child_id)
    if child.chain == parent.chain:
        raise Invalid(f"{parent.execution_id} cannot wait for itself")
    if child.status is Status.CONTINUED:
        raise IllegalTransition(
            f"{child.execution_id} is an ended link of a chain: attach to the id, which names the newest one",
            execution_id=child.execution_id,
            state=child.shown,
        )
    _check_room(view, parent, moment)
    draft = Draft(view, moment, parent)
    edge = Edge(parent=parent.ref, child_key=call.child_key, child=child.ref)
    seq = _adopt(draft, call, _with_outcome(view, edge, child), child.workflow)
    return draft.change(c.ChildStarted(child=child.ref, seq=seq, created=True))


def _same_target(view: View, edge: Edge, call: c.Attach) -> c.ChildStarted:
    child = view.head_of(edge.child.incarnation)
    if edge.child.execution_id != call.child_id or (child is not None and not is_of_chain(child, call.chain)):
        raise AlreadyExists(
            f"the key {call.child_key} already has the child {edge.child.execution_id}",
            execution_id=edge.child.execution_id,
        )
    return c.ChildStarted(child=edge.child, seq=None, created=False)


def _with_outcome(view: View, edge: Edge, child: Head) -> Edge:
    if not child.ended:
        return edge
    end = view.terminal_event(child.head)
    assert end is not None, "what has ended has a terminal event"
    return replace(edge, status=EDGE_STATUS[child.status], outcome=end.payload)
