"""Claims: candidates by one statement, each decided as if it were claimed alone."""

from __future__ import annotations

from loom.kernel import calls as c
from loom.kernel.digests import grant_hash
from loom.kernel.heads import Head
from loom.kernel.raw_json import encode
from loom.stores.deciding import claims_from, claims_of, is_still_held, still_held
from loom_event_store import rows
from loom_event_store.sqlite.snapshot import Snapshot
from loom_event_store.sqlite.writes import apply


def is_anything_for(at: Snapshot, call: c.ClaimRunnable) -> bool:
    """Would `claim_runnable` answer with something? Takes no lock."""
    return bool(_held(at, call) or _runnable(at, call, 1))


def claim_runnable(at: Snapshot, call: c.ClaimRunnable) -> c.Claims:
    """What a repeat still holds, else up to `max` new claims; a candidate that is blocked instead makes room."""
    held = _held(at, call)
    if held:
        return c.Claims(items=tuple(still_held(call, head) for head in held))
    items: tuple[c.Claimed, ...] = ()
    while len(items) < call.max:
        changes = claims_of(at.view, call, _runnable(at, call, call.max - len(items)), at.moment)
        if not changes:
            break
        for change in changes:
            apply(at.statements, change.writes)
        items += claims_from(changes).items
    return c.Claims(items=items)


def _held(at: Snapshot, call: c.ClaimRunnable) -> tuple[Head, ...]:
    grant = {"grant_hash": grant_hash(call.nonce), "now": at.moment.now}
    granted = at.statements.all("held", rows.head_from, grant)
    return tuple(head for head in granted if is_still_held(call, head, at.moment))


def _runnable(at: Snapshot, call: c.ClaimRunnable, limit: int) -> tuple[Head, ...]:
    wanted = {
        "namespace": call.namespace,
        "queue": call.queue,
        "workflows": encode(call.workflows),
        "now": at.moment.now,
        "least_token": at.moment.epoch << 32,
        "limit": limit,
    }
    return at.statements.all("claim_runnable", rows.head_from, wanted)
