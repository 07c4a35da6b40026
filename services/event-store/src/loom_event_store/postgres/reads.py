"""The reading calls of the port, each on one snapshot of the primary (H32)."""

from __future__ import annotations

from typing import Any

from loom.ids import ANY, ExecutionId, Namespace, Sequence, Token
from loom.kernel import calls as c
from loom.kernel.guards import existing, living, named
from loom.kernel.heads import Duty, Head
from loom.kernel.limits import Limits
from loom.kernel.parks import children_of
from loom.kernel.why import Surroundings, why
from loom.stores.deciding import POLL_SEEN_MS, due_of, open_park
from loom.stores.event_store import PORT_VERSION
from loom_event_store import rows
from loom_event_store.postgres.moments import Moments
from loom_event_store.postgres.statements import Statements, whole
from loom_event_store.postgres.view import LockedView
from loom_event_store.rows import GREATEST

_OfExecution = c.ReadPark | c.ReadInbox | c.ReadChildren | c.ReadPins


async def _found(at: Statements, namespace: Namespace, execution_id: ExecutionId) -> Head | None:
    return await at.first("head_named", rows.head_from, namespace, execution_id)


async def _named(at: Statements, namespace: Namespace, execution_id: ExecutionId) -> Head:
    return named(await _found(at, namespace, execution_id), execution_id)


async def _seen(at: Statements, call: _OfExecution) -> Head:
    head = await _found(at, call.namespace, call.execution_id)
    return living(head, call.incarnation, of=call.execution_id)


async def read_head(at: Statements, call: c.ReadHead) -> Head:
    """A tombstone too. Raises NotFound."""
    return await _named(at, call.namespace, call.execution_id)


async def read_events(at: Statements, call: c.ReadEvents) -> c.Log:
    """The slice asked for; an empty log of what does not exist."""
    head = await _found(at, call.namespace, call.execution_id)
    if head is None:
        return c.Log(events=(), last_seq=Sequence(0))
    if call.incarnation != ANY:
        living(head, call.incarnation)
    events = await at.all("read_events", rows.event_from, head.head, call.from_seq, call.limit)
    return c.Log(events=events, last_seq=head.last_seq, incarnation=head.incarnation, status=head.status)


async def read_park(at: Statements, call: c.ReadPark) -> c.OpenPark:
    """What a resumer must know."""
    head = await _seen(at, call)
    return open_park(await _with_edges(at, (head,)), head)


async def _with_edges(at: Statements, heads: tuple[Head, ...]) -> LockedView:
    """What the kernel may ask of these heads: the edges that their waits name."""
    view = LockedView({(head.namespace, head.execution_id): head for head in heads})
    named = ((int(head.incarnation), key) for head in heads for wait in head.waits for key in children_of(wait))
    await view.read_edges(named, at)
    return view


async def read_inbox(at: Statements, call: c.ReadInbox) -> c.Inbox:
    """Waiting messages, oldest first."""
    head = await _seen(at, call)
    of = (head.head, call.name, call.key, call.after, call.limit)
    return c.Inbox(items=await at.all("read_inbox", rows.mail_from, *of))


async def read_children(at: Statements, call: c.ReadChildren) -> c.Children:
    """Edges in the order of their making."""
    head = await _seen(at, call)
    of = (int(head.incarnation), call.after, call.limit)
    return c.Children(items=await at.all("read_children", rows.edge_from, *of))


async def read_pins(at: Statements, call: c.ReadPins) -> c.Pins:
    """By their owners' names."""
    head = await _seen(at, call)
    return c.Pins(items=await at.all("pins", rows.pin_from, head.head))


async def read_ownership(at: Statements, call: c.ReadOwnership) -> tuple[int, c.Ownership]:
    """The head's surrogate too, by which the process that asks knows what it has not recorded yet."""
    head = existing(await _found(at, call.namespace, call.execution_id), call.execution_id)
    return head.head, c.Ownership(
        token=head.token,
        owner=head.owner,
        lease_until=head.lease_until,
        grants=await at.all("grants", rows.grant_from, head.head),
        refusals=await at.all("refusals", rows.refusal_from, head.head),
        writes=await at.all("writes_by_token", _writes_from, head.head),
    )


def _writes_from(row: rows.Row) -> c.Writes:
    return c.Writes(token=Token(row["fence"]), first_seq=row["first_seq"], last_seq=row["last_seq"], count=row["count"])


async def read_why(at: Statements, call: c.ReadWhy, limits: Limits) -> c.Why:
    """The causal chain, as far as this store knows it."""
    head = await _named(at, call.namespace, call.execution_id)
    workflow = f"{head.workflow}@{head.code_version}"
    edges = await at.all("edges_of_parent", rows.edge_from, int(head.incarnation))
    moment: Any = await at.first("read_clock", whole)
    around = Surroundings(
        edges={edge.child_key: edge for edge in edges},
        outbox=await at.number("hints_of", head.head),
        pollers=await at.number("pollers", head.namespace, head.queue, workflow, POLL_SEEN_MS),
        pins=await at.all("pins", rows.pin_from, head.head),
        now=moment["now"],
        limits=limits,
    )
    return c.Why(head=head, reasons=why(head, around))


async def list_executions(at: Statements, call: c.ListExecutions) -> c.Executions:
    """Newest first; the cursor is the surrogate of the last head shown."""
    found = await at.all(
        "list_executions",
        rows.head_from,
        call.namespace,
        int(call.cursor) if call.cursor else GREATEST,
        None if call.statuses is None else [str(status) for status in call.statuses],
        call.workflow,
        call.id_prefix,
        call.ended_before,
        call.limit + 1,
    )
    page = found[: call.limit]
    return c.Executions(items=page, cursor=str(page[-1].head) if len(found) > len(page) else None)


async def count_executions(at: Statements, call: c.CountExecutions) -> c.Counts:
    """By status, tombstones too."""
    counts = await at.all("count_executions", lambda row: (row["status"], row["count"]), call.namespace)
    return c.Counts(counts=dict(counts))


async def list_namespaces(at: Statements, call: c.ListNamespaces) -> c.Namespaces:
    """Those in which something was started."""
    return c.Namespaces(items=await at.all("list_namespaces", lambda row: Namespace(row["name"])))


async def list_due(at: Statements, call: c.ListDue, moments: Moments) -> c.DueList:
    """By surrogate; the cursor is the last one shown. Candidates come by index, the kernel judges each."""
    found: list[c.Due] = []
    after = int(call.cursor) if call.cursor else 0
    grace = (call.grace_ms,) if call.about == "overdue" else ()
    while True:
        heads = await at.all(f"due_{call.about}", rows.head_from, after, call.limit, *grace)
        await moments.read(at)
        view = await _with_edges(at, heads)
        if call.about == "closes":
            await view.read_parents(at)
        for head in heads:
            found.extend(due_of(view, call, head, moments.again()))
            if len(found) == call.limit:
                return c.DueList(items=tuple(found), cursor=str(head.head))
        if len(heads) < call.limit:
            return c.DueList(items=tuple(found), cursor=None)
        after = heads[-1].head


async def read_duty(at: Statements, call: c.ReadDuty) -> Duty:
    """The row, or a duty that nobody has taken yet."""
    return await at.first("duty", rows.duty_from, call.name) or Duty(name=call.name)


async def read_store(at: Statements, limits: Limits) -> c.StoreInfo:
    """What the row of the store says, and this process' limits."""
    info: Any = await at.first("read_store", whole)
    return c.StoreInfo(
        port_version=PORT_VERSION,
        epoch=info["epoch"],
        schema_version=info["schema_version"],
        features=tuple(info["features"]),
        limits=limits,
        fleet=await at.all("fleet", rows.node_from),
    )
