"""Continue-as-new: the end of one link and the start of the next, in one transaction (I58)."""

from __future__ import annotations

import json
from dataclasses import replace

from loom.errors import IllegalTransition, Invalid
from loom.ids import ANY, ExecutionId, ExecutionRef, Incarnation, Instant, Namespace, Sequence
from loom.kernel import calls as c
from loom.kernel.change import Change, Moment, MoveEdge, MoveMessages, View
from loom.kernel.decisions.draft import Draft, joined
from loom.kernel.decisions.ending import close_log, requested
from loom.kernel.decisions.repeats import first_event, named_head
from loom.kernel.decisions.sizes import check_carried
from loom.kernel.decisions.starting import record_start
from loom.kernel.digests import digest_of, ended_link_id
from loom.kernel.events import Event
from loom.kernel.guards import check_own, judge_writer
from loom.kernel.heads import Head, Status
from loom.kernel.kinds import EventKind
from loom.kernel.legality import check_legal
from loom.kernel.parks import Edge
from loom.kernel.raw_json import encode

REMEMBERED_MS = 24 * 3600 * 1000
"""How long a consumed message's id goes along, so that a repeated send is recognised in the next link."""


def continue_as_new(view: View, call: c.ContinueAsNew, moment: Moment) -> Change:
    """The ended link is renamed, the next takes its id; edges, mail, a cancel request and the deadlines go along."""
    check_own(call.credential, call.namespace, call.execution_id)
    if call.credential is None and call.incarnation == ANY:
        raise Invalid("name the incarnation to continue: a repeat is looked up by it")
    earlier = named_head(view, call)
    repeat = first_event(view, earlier, call)
    if repeat is not None and earlier is not None:
        return Change((), _repeated(earlier, repeat))
    head = view.head_named(call.namespace, call.execution_id)
    writer = judge_writer(head, call.credential, call.incarnation, moment)
    assert head is not None
    check_carried(call.input, "an input", moment.limits)
    check_legal(EventKind.EXECUTION_CONTINUED, writer, head)
    following = _next_link(view, call, moment, head)
    ended = Draft(view, moment, head).keyed(call.batch_id, digest_of(call))
    close_log(ended, EventKind.EXECUTION_CONTINUED, encode({"next": following.head.ref}))
    _take_along(ended, following, call.release)
    ended.move(execution_id=ended_link_id(head.ref))
    return joined((ended, following), _continued(following.head))


def _repeated(ended: Head, event: Event) -> c.Continued:
    """From the ended link alone: the next may be gone by now, and another chain under its id."""
    form = json.loads(event.payload)["next"]
    ref = ExecutionRef(
        namespace=Namespace(form["namespace"]),
        execution_id=ExecutionId(form["execution_id"]),
        incarnation=Incarnation.parse(form["incarnation"]),
    )
    return c.Continued(execution=ref, chain=ended.chain, link=ended.link + 1, token=event.fence)


def _continued(head: Head) -> c.Continued:
    return c.Continued(execution=head.ref, chain=head.chain, link=head.link, token=head.token)


def _next_link(view: View, call: c.ContinueAsNew, moment: Moment, head: Head) -> Draft:
    """A pending head whose token goes on; queue, single-writer mode, parent and deadlines are the ended link's."""
    request = None if head.cancel_seq is None else requested(view, head)
    following = replace(
        head,
        head=moment.new_head(),
        incarnation=moment.new_incarnation(),
        link=head.link + 1,
        status=Status.PENDING,
        owner=None,
        grant_hash=None,
        lease_until=None,
        last_seq=Sequence(0),
        last_position=None,
        unknown_tail=False,
        log_bytes=0,
        workflow=call.workflow or head.workflow,
        code_version=call.code_version or head.code_version,
        not_before=None,
        fruitless_claims=0,
        archived_seq=None,
        created_at=moment.now,
        status_at=moment.now,
        cancel_seq=None if request is None else Sequence(1),
    )
    draft = Draft(view, moment, following)
    record_start(draft, call.input, cancel=request, reason="continued")
    return draft


def _take_along(ended: Draft, following: Draft, release: tuple[str, ...]) -> None:
    here, there = ended.head.ref, following.head.ref
    edges = ended.view.edges_of_parent(here)
    strangers = set(release) - {edge.child_key for edge in edges}
    if strangers:
        raise IllegalTransition(f"no child under the keys {sorted(strangers)}", execution_id=there.execution_id)
    for edge in edges:
        if not goes_along(edge):
            ended.write_edge(replace(edge, parent=replace(here, execution_id=ended_link_id(here))))
            continue
        following.write(MoveEdge(edge, there))
        if edge.child_key in release:
            following.write_edge(replace(edge, parent=there, released=True))
    for edge in ended.view.edges_of_child(here):
        following.write_edge(replace(edge, child=there))
    since = Instant(ended.moment.now - REMEMBERED_MS)
    following.write(MoveMessages(ended.head.head, following.head.head, consumed_since=since))


def goes_along(edge: Edge) -> bool:
    """An outcome that the chain still wants, ended or not; what is of one run only stays for its close policy."""
    return edge.scope == "chain" and edge.consumed_at_seq is None
