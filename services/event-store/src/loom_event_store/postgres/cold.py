"""A call decided by the kernel: its heads locked in one statement, everything else looked at afterwards, one function
to write what follows. Cold calls always go this way, and a hot one whenever its function found nothing to do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import asyncpg

from loom.errors import Busy, ResumeContended
from loom.ids import Incarnation, Instant
from loom.kernel import calls as c
from loom.kernel.change import Change, Moment, MoveEdge, Refusal, RemoveRows, View, Write, WriteEdge, WriteHead
from loom.kernel.decide import decide
from loom.kernel.events import NewEvent
from loom.kernel.heads import Head
from loom.kernel.limits import Limits
from loom.kernel.parks import Edge, Wait, children_of
from loom_event_store import rows
from loom_event_store.postgres.moments import Incarnations, Moments, Unnumbered
from loom_event_store.postgres.statements import Statements
from loom_event_store.postgres.view import EdgeKey, LockedView, Name, Unlocked, Unread
from loom_event_store.postgres.writes import worded
from loom_servicekit.postgres import Connection

LOOKS = 5
"""How often a call looks again when what it met while waiting tells it nothing."""

Heads = Mapping[Name, Head | None]
Decide = Callable[[View, Moment], Change | Refusal]


@dataclass(frozen=True, slots=True)
class Decided:
    """What the kernel decided, its rows committed if it is a Change; and when."""

    decision: Change | Refusal
    at: Instant


@dataclass(frozen=True, slots=True)
class Locks:
    """What a call locks before it looks: heads by name, then edges by parent incarnation and key, each in one order.

    A call of no execution locks a duty, or the row of the store.
    """

    names: frozenset[Name]
    edges: frozenset[EdgeKey] = frozenset()
    duty: str | None = None
    store: bool = False
    call: c.WriteCall | None = None


class LookAgain(Exception):
    """Nothing is decided: these are the locks to take next time."""

    def __init__(self, locks: Locks) -> None:
        super().__init__(locks)
        self.locks = locks


async def decide_cold(connection: Connection, call: c.WriteCall, limits: Limits, incarnations: Incarnations) -> Decided:
    """The decision, its rows committed if it is a Change, and when. Raises Busy."""
    return await change_under(
        connection, locks_of(call), lambda view, moment: decide(view, call, moment), limits, incarnations
    )


async def change_under(
    connection: Connection, locks: Locks, decided_by: Decide, limits: Limits, incarnations: Incarnations
) -> Decided:
    """Decide and write in one transaction. Zero rows after a wait prove nothing, so it looks again, LOOKS times."""
    for _ in range(LOOKS):
        moments = Moments(limits, incarnations)
        try:
            async with connection.transaction(isolation="read_committed"):
                return await _change(Statements(connection), locks, decided_by, moments)
        except LookAgain as again:
            locks = again.locks
        except asyncpg.UniqueViolationError:
            pass  # somebody else made the head meanwhile
        moments.give_back()
    raise Busy(f"others changed what the call met, {LOOKS} times in a row")


def locks_of(call: c.WriteCall) -> Locks:
    """The heads that a call addresses, its sender's too; or a duty, or the row of the store; a heartbeat nothing."""
    match call:
        case c.Heartbeat():
            return Locks(frozenset())
        case c.SwitchFeature():
            return Locks(frozenset(), store=True)
        case c.TakeDuty() | c.GiveUpDuty():
            return Locks(frozenset(), duty=call.name)
        case c.AppendBatch():
            return Locks(frozenset((call.namespace, item.execution_id) for item in call.items), call=call)
        case c.Send(sender=sender) if sender is not None:
            names = {(call.namespace, call.execution_id), (sender.namespace, sender.execution_id)}
            return Locks(frozenset(names))
        case c.Attach():
            names = {(call.namespace, call.execution_id), (call.namespace, call.child_id)}
            return Locks(frozenset(names), call=call)
    return Locks(frozenset({(call.namespace, call.execution_id)}), call=call)


def _edges_of(call: c.WriteCall | None, heads: Heads) -> frozenset[EdgeKey]:
    """The edges that a call may look at or change, as far as its own words tell."""
    match call:
        case c.AppendBatch():
            found = [(item.execution_id, _keys_of_events(item.events)) for item in call.items]
        case c.Append():
            found = [(call.execution_id, (*_keys_of_events(call.events), *call.release))]
        case c.Park():
            found = [(call.execution_id, _keys_of_waits(call.waits))]
        case c.Resume():
            head = heads[call.namespace, call.execution_id]
            found = [(call.execution_id, _keys_of_waits(head.waits if head else ()))]
        case c.StartChild() | c.Attach():
            found = [(call.execution_id, (call.child_key,))]
        case _:
            return frozenset()
    parents = ((heads[call.namespace, execution_id], keys) for execution_id, keys in found)
    return frozenset((int(parent.incarnation), key) for parent, keys in parents if parent is not None for key in keys)


def _keys_of_events(events: Iterable[NewEvent]) -> tuple[str, ...]:
    return tuple(event.child_key for event in events if event.child_key is not None)


def _keys_of_waits(waits: Iterable[Wait]) -> tuple[str, ...]:
    return tuple(key for wait in waits for key in children_of(wait))


def contended(call: c.WriteCall, error: Busy) -> Busy | ResumeContended:
    """A resume that could not be tried is contended, never refused and never merely busy (I11)."""
    if isinstance(call, c.Resume):
        return ResumeContended(error.detail, execution_id=call.execution_id, attempts=1)
    return error


async def _change(statements: Statements, locks: Locks, decided_by: Decide, moments: Moments) -> Decided:
    view = await _lock(statements, locks)
    await moments.read(statements)
    decision = await _decided(statements, locks, view, decided_by, moments)
    if isinstance(decision, Change) and not view.locked_edges and (edges := _edges_written(decision.writes, view)):
        await _lock_edges(statements, view, edges)
        await moments.read(statements)
        decision = await _decided(statements, locks, view, decided_by, moments)
    if isinstance(decision, Change) and decision.writes:
        _check_locked(decision.writes, locks, view, moments)
        await statements.run("apply_change", worded(decision.writes), moments.now)
    return Decided(decision, moments.now)


async def _lock(statements: Statements, locks: Locks) -> LockedView:
    if locks.duty is not None:
        await statements.run("lock_duty", locks.duty)
    if locks.store:
        await statements.run("lock_store")
    names = sorted(locks.names)
    found = await statements.all("lock_heads", rows.head_from, [name for name, _ in names], [id for _, id in names])
    view = LockedView({**dict.fromkeys(names), **{(head.namespace, head.execution_id): head for head in found}})
    await _check_absent(statements, locks, view)
    edges = locks.edges | _edges_of(locks.call, view.heads)
    if edges:
        await _lock_edges(statements, view, edges)
    return view


async def _lock_edges(statements: Statements, view: LockedView, keys: frozenset[EdgeKey]) -> None:
    """In one statement, after the heads; what was read before the wait is forgotten."""
    edges = sorted(keys)
    await statements.run("lock_edges", [parent for parent, _ in edges], [key for _, key in edges])
    view.forget()
    await view.read_edges(edges, statements)
    view.locked_edges = keys


async def _check_absent(statements: Statements, locks: Locks, view: LockedView) -> None:
    """Only a look that did not wait may say that nothing is there: an id that changed hands was not found."""
    absent = [name for name, head in view.heads.items() if head is None]
    if absent and await statements.number("count_heads", [name for name, _ in absent], [id for _, id in absent]):
        raise LookAgain(locks)


async def _decided(
    statements: Statements, locks: Locks, view: LockedView, decided_by: Decide, moments: Moments
) -> Change | Refusal:
    """The decision is pure: it is made again and again until everything it asks for is there."""
    while True:
        try:
            return decided_by(view, moments.again())
        except Unread as question:
            await view.answer(question, statements)
        except Unnumbered:
            await moments.read_new_head(statements)
        except Unlocked as missing:
            raise LookAgain(replace(locks, names=locks.names | {missing.name})) from None


def _check_locked(writes: tuple[Write, ...], locks: Locks, view: LockedView, moments: Moments) -> None:
    """An edge that is there is locked before it is read, since its child's end writes it without the parent's lock."""
    heads = {head.head for head in view.heads.values() if head is not None} | set(moments.new_heads)
    assert all(write.head.head in heads for write in writes if isinstance(write, WriteHead)), "a head without its lock"
    edges = _edges_written(writes, view)
    if not edges <= view.locked_edges:
        raise LookAgain(replace(locks, edges=locks.edges | edges))


def _edges_written(writes: Iterable[Write], view: View) -> frozenset[EdgeKey]:
    """Those that this changes, moves or removes, under the parents that they have before."""
    edges: list[Edge] = []
    made: set[Incarnation] = set()
    for write in writes:
        match write:
            case WriteEdge(edge):
                edges.append(edge)
            case MoveEdge(edge, parent):
                edges.append(edge)
                made.add(parent.incarnation)
            case RemoveRows(parent=parent):
                edges.extend(view.edges_of_parent(parent))
    before = (edge for edge in edges if edge.parent.incarnation not in made)
    return frozenset((int(edge.parent.incarnation), edge.child_key) for edge in before)
