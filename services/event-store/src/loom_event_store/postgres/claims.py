"""Claims: candidates by one statement, each decided as if it were claimed alone."""

from __future__ import annotations

from loom.kernel import calls as c
from loom.kernel.backoff import BASE_MS, CAP_MS
from loom.kernel.change import Change
from loom.kernel.decisions.resuming import claimed
from loom.kernel.digests import grant_hash
from loom.kernel.heads import Head
from loom.stores.deciding import claim_from, claims_from, claims_of, is_still_held, still_held
from loom_event_store import rows
from loom_event_store.postgres.moments import Moments
from loom_event_store.postgres.statements import Statements
from loom_event_store.postgres.view import LockedView
from loom_event_store.postgres.writes import worded
from loom_servicekit.postgres import Connection


async def claim_runnable(connection: Connection, call: c.ClaimRunnable, moments: Moments) -> c.Claims:
    """What a repeat still holds, else up to `max` new claims; a candidate that is blocked instead makes room."""
    at = Statements(connection)
    granted = await at.all("held", rows.head_from, grant_hash(call.nonce))
    if granted:
        await moments.read(at)
    held = [head for head in granted if is_still_held(call, head, moments.again())]
    if held:
        return c.Claims(items=tuple(still_held(call, head) for head in held))
    found = await _claim_free(at, call, moments)
    items = tuple(claimed(head, claim_from(call, head)) for head in found if head.grant_hash == grant_hash(call.nonce))
    if len(items) < len(found):
        items += await _block_and_claim(connection, call, call.max - len(items), moments)
    return c.Claims(items=items)


async def _claim_free(at: Statements, call: c.ClaimRunnable, moments: Moments) -> tuple[Head, ...]:
    """What one function claimed; with those that were claimed in vain too often, as they are."""
    what = (call.namespace, call.queue, list(call.workflows), call.max, grant_hash(call.nonce), call.owner, call.ttl_ms)
    return await at.all("claims", rows.head_from, *what, moments.again().limits.fruitless_claims, BASE_MS, CAP_MS)


async def _block_and_claim(
    connection: Connection, call: c.ClaimRunnable, wanted: int, moments: Moments
) -> tuple[c.Claimed, ...]:
    items: tuple[c.Claimed, ...] = ()
    while len(items) < wanted:
        changes = await _claim(connection, call, wanted - len(items), moments)
        if not changes:
            break
        items += claims_from(changes).items
    return items


async def _claim(connection: Connection, call: c.ClaimRunnable, limit: int, moments: Moments) -> tuple[Change, ...]:
    async with connection.transaction(isolation="read_committed"):
        at = Statements(connection)
        await moments.read(at)
        wanted = (call.namespace, call.queue, list(call.workflows), moments.now, moments.epoch << 32, limit)
        heads = await at.all("claim_runnable", rows.head_from, *wanted)
        view = LockedView({(head.namespace, head.execution_id): head for head in heads})
        changes = claims_of(view, call, heads, moments.again())
        writes = [write for change in changes for write in change.writes]
        if writes:
            await at.run("apply_change", worded(writes), moments.now)
    return changes
