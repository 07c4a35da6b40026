"""The hot calls: one function each, in one round trip. None where the function found nothing to do: then the kernel
decides under the lock, which refuses, tells a repeat, or does what no function does.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from itertools import pairwise
from typing import Any

import asyncpg

from loom.ids import ANY, Chain, Credential, Incarnation, Instant, Token
from loom.kernel import calls as c
from loom.kernel.backoff import BASE_MS, CAP_MS
from loom.kernel.decisions.appending import is_next_position
from loom.kernel.decisions.resuming import claimed
from loom.kernel.decisions.sizes import size_of
from loom.kernel.digests import digest_of, digest_of_text, grant_hash
from loom.kernel.heads import Status
from loom.kernel.kinds import COMPLETING_KINDS, EventKind, kind_of
from loom.kernel.legality import LEGAL
from loom.kernel.limits import Limits
from loom.kernel.parks import MessageWait, TimerWait, Wait, children_of, why_unsatisfiable
from loom.kernel.raw_json import encode
from loom.tracing import current
from loom_event_store import rows
from loom_event_store.postgres.moments import Incarnations
from loom_event_store.postgres.statements import Statements, whole
from loom_event_store.rows import GREATEST
from loom_servicekit.postgres import Connection

_ENDS = {EventKind.EXECUTION_COMPLETED: Status.COMPLETED, EventKind.EXECUTION_FAILED: Status.FAILED}
_WAIT_KINDS = {"TimerWait": "timer", "ChildWait": "child", "GroupWait": "group", "MessageWait": "message"}

_Hot = Callable[[Statements, Any, Limits, Incarnations], Awaitable[Any]]


async def call_function(connection: Connection, call: c.WriteCall, limits: Limits, incarnations: Incarnations) -> Any:
    """The answer of a hot call whose function did it; None for every other call."""
    function = _HOT.get(type(call))
    if function is None or not _fits(call):
        return None
    try:
        return await function(Statements(connection), call, limits, incarnations)
    except asyncpg.UniqueViolationError:
        return None  # a repeat, most likely: the index refused it, nothing happened


def _fits(call: Any) -> bool:
    """Would every number that names something fit into a column? And is a credential the addressed execution's own?"""
    credential: Credential | None = getattr(call, "credential", None)
    shown = credential or getattr(call, "sender", None)
    if shown is not None and max(shown.token, shown.incarnation) > GREATEST:
        return False
    own = credential is None or (credential.namespace, credential.execution_id) == (call.namespace, call.execution_id)
    return own


def _shown(call: c.Append | c.Park) -> tuple[int | None, int | None, str | None]:
    """Incarnation, token and grant that an owner presents; without a credential, the incarnation seen."""
    if call.credential is not None:
        return (*_grant(call.credential),)
    return None if call.incarnation == ANY or call.incarnation is None else int(call.incarnation), None, None


def _grant(credential: Credential) -> tuple[int, int, str]:
    return int(credential.incarnation), int(credential.token), grant_hash(credential.nonce)


def _seen(incarnation: Incarnation | Chain | str) -> int | None:
    return None if incarnation == ANY else int(incarnation)


async def _start(at: Statements, call: c.Start, limits: Limits, incarnations: Incarnations) -> c.Started | None:
    if size_of(call.input) > limits.event_bytes:
        return None
    payload = encode(
        {
            "workflow": call.workflow,
            "code_version": call.code_version,
            "queue": call.queue,
            "input": call.input,
            "parent": None,
            "cancel": False,
        }
    )
    incarnation = incarnations.take()
    what = (call.workflow, call.code_version, call.queue, payload, call.delay_ms, call.timeout_ms)
    name = (call.namespace, call.execution_id)
    head = await at.first("start", rows.head_from, *name, incarnation, *what, call.batch_id, digest_of(call), current())
    if head is None:
        incarnations.give_back([incarnation])
        return None
    return c.Started(execution=head.ref, chain=head.chain, token=head.token, status=head.status, created=True)


async def _append(at: Statements, call: c.Append, limits: Limits, incarnations: Incarnations) -> c.Appended | None:
    ending = _ending(call)
    if not _is_plain(call, limits) or (call.credential is None and call.incarnation is None):
        return None
    kinds = [kind_of(event.kind) for event in call.events]
    positions = [event.position for event in call.events if event.position is not None]
    last = call.events[-1]
    row: Any = await at.first(
        "append",
        whole,
        call.namespace,
        call.execution_id,
        *_shown(call),
        [event.kind for event in call.events],
        [event.payload for event in call.events],
        [event.position for event in call.events],
        [kind is not None for kind in kinds],
        call.batch_id,
        digest_of(call),
        call.expected_seq,
        positions[0] if positions else None,
        positions[-1] if positions else None,
        ending is None,
        any(kind in COMPLETING_KINDS for kind in kinds),
        len(kinds) - (ending is not None),
        limits.log_events - limits.log_reserved,
        sum(size_of(event.payload) for event in call.events),
        ending,
        last.payload if ending else None,
        digest_of_text(last.payload) if ending else None,
        current(),
    )
    if row is None:
        return None
    waiting = c.Waiting(messages=row["messages"], outcomes=row["outcomes"], cancel_seq=row["cancel_seq"])
    return c.Appended(first_seq=row["first_seq"], last_seq=row["last_seq"], waiting=waiting)


def _ending(call: c.Append) -> Status | None:
    """The status that the call's last event leads to, if it is an end that needs no look elsewhere."""
    kind = kind_of(call.events[-1].kind) if call.events else None
    return None if kind is None else _ENDS.get(kind)


def _is_plain(call: c.Append, limits: Limits) -> bool:
    """Only kinds that are written as they are, perhaps an end after them, all within the limits."""
    sizes = [size_of(event.payload) for event in call.events]
    if not sizes or len(sizes) > limits.append_events or max(sizes) > limits.event_bytes or call.release:
        return False
    worded = call.events[:-1] if _ending(call) else call.events
    if _ending(call) and sizes[-1] > limits.result_bytes:
        return False
    return sum(sizes) <= limits.append_bytes and all(_is_work(event.kind) for event in worded) and _is_in_order(call)


def _is_work(kind: str) -> bool:
    """Is the kind one that an owner writes while running, and late while parked?"""
    return LEGAL[kind_of(kind)] == LEGAL[None]


def _is_in_order(call: c.Append) -> bool:
    positions = [event.position for event in call.events if event.position is not None]
    return all(is_next_position(before, after) for before, after in pairwise(positions))


async def _park(at: Statements, call: c.Park, limits: Limits, incarnations: Incarnations) -> c.Parked | None:
    if (call.credential is None and call.incarnation is None) or not _is_parkable(call.waits):
        return None
    messages = [wait.message for wait in call.waits if isinstance(wait, MessageWait)]
    row: Any = await at.first(
        "park",
        whole,
        call.namespace,
        call.execution_id,
        *_shown(call),
        [encode(wait) for wait in call.waits],
        [wait.timer.delay_ms if isinstance(wait, TimerWait) else None for wait in call.waits],
        sorted({_WAIT_KINDS[type(wait).__name__] for wait in call.waits}),
        list({key for wait in call.waits for key in children_of(wait)}),
        [message.name for message in messages],
        [message.key for message in messages],
        call.heard,
        call.batch_id,
        digest_of(call),
        limits.log_events,
        current(),
    )
    return None if row is None else c.Parked(park_seq=row["park_seq"], token=Token(row["token"]))


def _is_parkable(waits: tuple[Wait, ...]) -> bool:
    """Well-formed waits of the kinds that somebody outside answers; a park on an operator is rare, and cold."""
    known = bool(waits) and all(type(wait).__name__ in _WAIT_KINDS for wait in waits)
    distinct = len({wait.id for wait in waits}) == len(waits)
    return known and distinct and all(why_unsatisfiable(wait) is None for wait in waits)


async def _resume(at: Statements, call: c.Resume, limits: Limits, incarnations: Incarnations) -> c.Resumed | None:
    shown = call.credential
    if shown is not None and call.incarnation not in (ANY, shown.incarnation):
        return None
    incarnation = _seen(call.incarnation) if shown is None else int(shown.incarnation)
    grant = (None, None) if shown is None else _grant(shown)[1:]
    digest = None if call.batch_id is None else digest_of(call)
    what = (incarnation, call.park_seq, call.wait, list(call.keys), *grant, call.batch_id, digest, current())
    row: Any = await at.first("resume", whole, call.namespace, call.execution_id, *what)
    return None if row is None else c.Resumed(resumed_seq=row["resumed_seq"], token=Token(row["token"]))


async def _claim(at: Statements, call: c.Claim, limits: Limits, incarnations: Incarnations) -> c.Claimed | None:
    seen = (_seen(call.incarnation), call.token, grant_hash(call.nonce), call.owner, call.ttl_ms)
    bounds = (limits.fruitless_claims, BASE_MS, CAP_MS)
    head = await at.first("claim", rows.head_from, call.namespace, call.execution_id, *seen, *bounds)
    return None if head is None else claimed(head, call)


async def _renew(at: Statements, call: c.Renew, limits: Limits, incarnations: Incarnations) -> c.Renewed | None:
    of = (call.namespace, call.execution_id, *_grant(call.credential))
    row: Any = await at.first("renew", whole, *of, call.ttl_ms)
    if row is None:
        return None
    waiting = c.Waiting(messages=row["messages"], outcomes=row["outcomes"], cancel_seq=row["cancel_seq"])
    return c.Renewed(lease_until=Instant(row["lease_until"]), ttl_ms=call.ttl_ms, waiting=waiting)


async def _release(at: Statements, call: c.Release, limits: Limits, incarnations: Incarnations) -> c.Released | None:
    of = (call.namespace, call.execution_id, *_grant(call.credential))
    row: Any = await at.first("release", whole, *of, call.delay_ms, current())
    return None if row is None else c.Released(token=Token(row["token"]))


async def _send(at: Statements, call: c.Send, limits: Limits, incarnations: Incarnations) -> c.Sent | None:
    if size_of(call.payload) > limits.event_bytes:
        return None
    sender = call.sender
    shown = (sender.namespace, sender.execution_id, *_grant(sender)) if sender else (None,) * 5
    what = (call.message_id, call.name, call.key, call.payload, *shown, limits.inbox_waiting, current())
    row: Any = await at.first("send", whole, call.namespace, call.execution_id, _seen(call.chain), *what)
    return None if row is None else c.Sent(inbox_seq=row["inbox_seq"], resumed=row["resumed"])


async def _acquire(
    at: Statements, call: c.AcquireIfParked, limits: Limits, incarnations: Incarnations
) -> c.Claimed | None:
    seen = (_seen(call.incarnation), call.park_seq, call.token, grant_hash(call.nonce), call.owner, call.ttl_ms)
    head = await at.first("acquire_if_parked", rows.head_from, call.namespace, call.execution_id, *seen)
    return None if head is None else claimed(head, call)


_HOT: dict[type, _Hot] = {
    c.Start: _start,
    c.Append: _append,
    c.Park: _park,
    c.Resume: _resume,
    c.Claim: _claim,
    c.Renew: _renew,
    c.Release: _release,
    c.Send: _send,
    c.AcquireIfParked: _acquire,
}
HOT = frozenset(_HOT)
"""The nine calls that have a function."""
