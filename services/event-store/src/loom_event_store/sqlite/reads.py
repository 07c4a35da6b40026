"""The reading calls of the port, each on one snapshot."""

from __future__ import annotations

import json

from loom.ids import ANY, ExecutionId, Namespace, Sequence, Token
from loom.kernel import calls as c
from loom.kernel.guards import existing, living, named
from loom.kernel.heads import Duty, Head
from loom.kernel.raw_json import encode
from loom.kernel.why import Surroundings, why
from loom.stores.deciding import POLL_SEEN_MS, due_of, open_park
from loom.stores.event_store import PORT_VERSION
from loom_event_store import rows
from loom_event_store.rows import GREATEST
from loom_event_store.sqlite.snapshot import Snapshot

_OfExecution = c.ReadPark | c.ReadInbox | c.ReadChildren | c.ReadPins


def _named(at: Snapshot, namespace: Namespace, execution_id: ExecutionId) -> Head:
    return named(at.view.head_named(namespace, execution_id), execution_id)


def _seen(at: Snapshot, call: _OfExecution) -> Head:
    return living(at.view.head_named(call.namespace, call.execution_id), call.incarnation, of=call.execution_id)


def read_head(at: Snapshot, call: c.ReadHead) -> Head:
    """A tombstone too. Raises NotFound."""
    return _named(at, call.namespace, call.execution_id)


def read_events(at: Snapshot, call: c.ReadEvents) -> c.Log:
    """The slice asked for; an empty log of what does not exist."""
    head = at.view.head_named(call.namespace, call.execution_id)
    if head is None:
        return c.Log(events=(), last_seq=Sequence(0))
    if call.incarnation != ANY:
        living(head, call.incarnation)
    slice = {"head": head.head, "from_seq": call.from_seq, "limit": call.limit}
    events = at.statements.all("read_events", rows.event_from, slice)
    return c.Log(events=events, last_seq=head.last_seq, incarnation=head.incarnation, status=head.status)


def read_park(at: Snapshot, call: c.ReadPark) -> c.OpenPark:
    """What a resumer must know."""
    return open_park(at.view, _seen(at, call))


def read_inbox(at: Snapshot, call: c.ReadInbox) -> c.Inbox:
    """Waiting messages, oldest first."""
    head = _seen(at, call)
    wanted = {"head": head.head, "name": call.name, "key": call.key, "after": call.after, "limit": call.limit}
    return c.Inbox(items=at.statements.all("read_inbox", rows.mail_from, wanted))


def read_children(at: Snapshot, call: c.ReadChildren) -> c.Children:
    """Edges in the order of their making."""
    head = _seen(at, call)
    wanted = {"head": head.head, "after": call.after, "limit": call.limit}
    return c.Children(items=at.statements.all("read_children", rows.edge_from, wanted))


def read_pins(at: Snapshot, call: c.ReadPins) -> c.Pins:
    """By their owners' names."""
    head = _seen(at, call)
    return c.Pins(items=tuple(sorted(at.view.pins(head.head), key=lambda pin: pin.owner)))


def read_ownership(at: Snapshot, call: c.ReadOwnership) -> tuple[int, c.Ownership]:
    """The head's surrogate too, by which the process that asks knows what it has not recorded yet."""
    head = existing(at.view.head_named(call.namespace, call.execution_id), call.execution_id)
    of_head = {"head": head.head}
    return head.head, c.Ownership(
        token=head.token,
        owner=head.owner,
        lease_until=head.lease_until,
        grants=at.statements.all("grants", rows.grant_from, of_head),
        refusals=at.statements.all("refusals", rows.refusal_from, of_head),
        writes=at.statements.all("writes_by_token", _writes_from, of_head),
    )


def _writes_from(row: rows.Row) -> c.Writes:
    return c.Writes(token=Token(row["fence"]), first_seq=row["first_seq"], last_seq=row["last_seq"], count=row["count"])


def read_why(at: Snapshot, call: c.ReadWhy) -> c.Why:
    """The causal chain, as far as this store knows it."""
    head = _named(at, call.namespace, call.execution_id)
    polled = {
        "namespace": head.namespace,
        "queue": head.queue,
        "workflow": f"{head.workflow}@{head.code_version}",
        "after": at.moment.now - POLL_SEEN_MS,
    }
    around = Surroundings(
        edges={edge.child_key: edge for edge in at.view.edges_of_parent(head.ref)},
        outbox=at.statements.number("hints_of", {"head": head.head}),
        pollers=at.statements.number("pollers", polled),
        pins=at.view.pins(head.head),
        limits=at.moment.limits,
        now=at.moment.now,
    )
    return c.Why(head=head, reasons=why(head, around))


def list_executions(at: Snapshot, call: c.ListExecutions) -> c.Executions:
    """Newest first; the cursor is the surrogate of the last head shown."""
    wanted = {
        "namespace": call.namespace,
        "before": int(call.cursor) if call.cursor else GREATEST,
        "statuses": None if call.statuses is None else encode(call.statuses),
        "workflow": call.workflow,
        "id_prefix": call.id_prefix,
        "ended_before": call.ended_before,
        "limit": call.limit + 1,
    }
    found = at.statements.all("list_executions", rows.head_from, wanted)
    page = found[: call.limit]
    return c.Executions(items=page, cursor=str(page[-1].head) if len(found) > len(page) else None)


def count_executions(at: Snapshot, call: c.CountExecutions) -> c.Counts:
    """By status, tombstones too."""
    counts = at.statements.all("count_executions", lambda row: (row["status"], row["count"]), rows.plain_row(call))
    return c.Counts(counts=dict(counts))


def list_namespaces(at: Snapshot, call: c.ListNamespaces) -> c.Namespaces:
    """Those in which something was started."""
    return c.Namespaces(items=at.statements.all("list_namespaces", lambda row: Namespace(row["name"]), {}))


def list_due(at: Snapshot, call: c.ListDue) -> c.DueList:
    """By surrogate; the cursor is the last one shown. Candidates come by index, the kernel judges each."""
    found: list[c.Due] = []
    after = int(call.cursor) if call.cursor else 0
    while True:
        heads = _candidates(at, call, after)
        for head in heads:
            found.extend(due_of(at.view, call, head, at.moment))
            if len(found) == call.limit:
                return c.DueList(items=tuple(found), cursor=str(head.head))
        if len(heads) < call.limit:
            return c.DueList(items=tuple(found), cursor=None)
        after = heads[-1].head


def _candidates(at: Snapshot, call: c.ListDue, after: int) -> tuple[Head, ...]:
    now = at.moment.now
    bounds = {"after": after, "limit": call.limit, "now": now, "before": now - call.grace_ms}
    return at.statements.all(f"due_{call.about}", rows.head_from, bounds)


def read_duty(at: Snapshot, call: c.ReadDuty) -> Duty:
    """The row, or a duty that nobody has taken yet."""
    return at.view.duty(call.name) or Duty(name=call.name)


def read_store(at: Snapshot, call: c.ReadStore) -> c.StoreInfo:
    """What the row of the store says, and this process' limits."""
    info = at.statements.first("read_store", dict, {})
    assert info is not None, "the schema makes this row"
    return c.StoreInfo(
        port_version=PORT_VERSION,
        epoch=info["epoch"],
        schema_version=info["schema_version"],
        features=tuple(json.loads(info["features"])),
        limits=at.moment.limits,
        fleet=at.view.fleet(),
    )
