"""A fail-over that loses two acknowledged bumps, and what each old credential may still do afterwards: nothing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal

from failover.address import address_of
from failover.standby import Pair, port_of, streaming_pair
from fixtures.pgbouncer import running_pgbouncer
from fixtures.postgres import Postgres
from loom.errors import LoomError, StoreUnavailable
from loom.ids import Credential
from loom.kernel import calls as c
from loom_cli.migrate import SCHEMAS
from loom_conformance import Subject
from loom_conformance.checks import attempt
from loom_conformance.scene import LEASE_MS, WORKFLOW, Execution, Scene, mint, mint_nonce
from loom_conformance.surfaces import WRITES
from loom_event_store.postgres.store import PostgresEventStore
from loom_servicekit.migrations import APPLICATION, migrate

Way = Literal["directly", "through pgbouncer"]
PATIENCE_S = 30

# What a token's epoch is worth without the timeline: the store's own number, which a promotion leaves as it was.
_NO_TIMELINE = """CREATE OR REPLACE FUNCTION event_store.epoch() RETURNS bigint LANGUAGE sql VOLATILE AS
'SELECT epoch FROM event_store.store'"""


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the table."""

    claim: str
    found: str
    holds: bool


@dataclass(slots=True)
class Cast:
    """Who holds what when the primary dies: an owner's grant, and an acquirer's on a park."""

    owned: Execution
    acquired: Execution

    def of(self, surface: str) -> Execution:
        return self.acquired if surface == "answer" else self.owned


async def run(way: Way) -> list[Finding]:
    """One fail-over, from the base backup to the claims of the new generation."""
    with streaming_pair() as pair:
        name = await pair.primary.create_database()
        await migrate(pair.primary.database_url(name), SCHEMAS)
        async with _reached(pair.primary, way, name) as (store, lead_to):
            return await _fail_over(pair, name, store, lambda: lead_to(port_of(pair.standby)))


@asynccontextmanager
async def _reached(
    primary: Postgres, way: Way, name: str
) -> AsyncIterator[tuple[PostgresEventStore, Callable[[int], None]]]:
    """One store for the whole course: its address stays, the server behind it is swapped."""
    async with AsyncExitStack() as stack:
        address = await stack.enter_async_context(address_of(port_of(primary)))
        url = f"postgresql://{APPLICATION}@127.0.0.1:{address.port}"
        pooler = "session"
        if way == "through pgbouncer":
            url = stack.enter_context(running_pgbouncer(Postgres(url), APPLICATION))
            pooler = "transaction"
        store = await PostgresEventStore.open(f"{url}/{name}", pooler=pooler, size=4)  # type: ignore[arg-type]
        stack.push_async_callback(store.close)
        yield store, address.lead_to


async def _fail_over(pair: Pair, name: str, store: PostgresEventStore, switch: Callable[[], None]) -> list[Finding]:
    scene = Scene(Subject(name="postgres", store=store), "failover")
    zombie, survivor, spare = await _cast(scene), await _cast(scene), await scene.owned()
    waiting = await scene.parked()
    next_queue = Scene(scene.subject, "failover-next")
    leased = [await next_queue.owned() for _ in range(5)]
    shipped = await _credentials(zombie)
    await pair.await_shipped()
    await pair.part()
    await _bump_twice(zombie)
    lost = await _credentials(zombie)
    acknowledged = len(await zombie.owned.log())

    pair.kill_primary()
    began = time.monotonic()
    await pair.promote()
    switch()
    promoted = time.monotonic()
    claimed = await _patiently(lambda: _claim_all(next_queue, len(leased)))
    claimed_s = time.monotonic() - promoted

    kept = len(await zombie.owned.log())
    epoch = (await store.read_store(c.ReadStore())).epoch
    findings = [
        Finding(
            "the standby takes over without what it never got",
            f"{acknowledged - kept} events lost, promoted in {promoted - began:.2f} s, epoch {epoch}",
            acknowledged > kept and epoch == 2,
        ),
        Finding(
            "claims go on at once, under leases of the lost generation",
            f"{len(claimed)} of {len(leased)} in {claimed_s:.2f} s, tokens {_shown(claimed)}",
            {one.credential.token.epoch for one in claimed} == {2} and len(claimed) == len(leased) and claimed_s < 5,
        ),
        await _refused("the zombie's writes", zombie, lost, "lost-history"),
        await _refused("its predecessor's, whose token is the stored one", zombie, shipped, "stale"),
        await _refused("a survivor's, whose grant was shipped", survivor, await _credentials(survivor), "stale"),
    ]
    await zombie.owned.claim()
    await zombie.acquired.acquire()
    findings += [
        await _refused("the zombie's, after another was granted", zombie, lost, "stale"),
        await _accepted("the new owner's writes", zombie.owned),
        await _accepted_resume("the timer of a park that was shipped", waiting),
    ]
    await pair.standby.execute(_NO_TIMELINE, name)
    answer = await attempt(spare.append("STEP_COMPLETED"))
    findings.append(
        Finding(
            "negative control: without the timeline in the guard",
            f"a survivor's write is {_said(answer)}",
            not isinstance(answer, LoomError),
        )
    )
    return findings


async def _cast(scene: Scene) -> Cast:
    acquired = await scene.parked()
    acquired.credential = await acquired.acquire()
    return Cast(owned=await scene.owned(), acquired=acquired)


async def _credentials(cast: Cast) -> dict[str, Credential]:
    return {surface: cast.of(surface).held for surface in WRITES}


async def _bump_twice(cast: Cast) -> None:
    """Acknowledged, with an event each, and known to nobody else."""
    for _ in range(2):
        await cast.owned.release()
        await cast.owned.claim()
        await cast.owned.append("STEP_COMPLETED")
        cast.acquired.credential = await cast.acquired.acquire()


async def _claim_all(scene: Scene, most: int) -> tuple[c.Claimed, ...]:
    call = c.ClaimRunnable(
        namespace=scene.namespace,
        queue=scene.queue,
        workflows=(f"{WORKFLOW}@0",),
        max=most,
        nonce=mint_nonce(),
        owner=mint("owner"),
        ttl_ms=LEASE_MS,
    )
    return (await scene.store.claim_runnable(call)).items


async def _patiently(ask: Callable[[], Awaitable[Any]]) -> Any:
    """As a worker does: `unavailable` is asked again."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            return await ask()
        except StoreUnavailable:
            if time.monotonic() > deadline:
                raise
            await asyncio.sleep(0.02)


async def _refused(who: str, cast: Cast, credentials: dict[str, Credential], code: str) -> Finding:
    """On every surface, by this very code, and nothing changes."""
    said: list[str] = []
    before = [await cast.owned.everything(), await cast.acquired.everything()]
    for surface, writes in WRITES.items():
        for write in writes:
            said.append(_said(await attempt(write(cast.of(surface), credentials[surface]))))
    unchanged = before == [await cast.owned.everything(), await cast.acquired.everything()]
    shown = _shown_tokens(credentials.values())
    found = ", ".join(f"{one} {said.count(one)}" for one in sorted(set(said)))
    told = f"{found} of {len(said)}; {'nothing' if unchanged else 'SOMETHING'} changed; token {shown}"
    return Finding(f"{who}: {code}", told, set(said) == {code} and unchanged)


async def _accepted(who: str, execution: Execution) -> Finding:
    answer = await attempt(execution.append("EXECUTION_COMPLETED"))
    return Finding(f"{who}: accepted", _said(answer), not isinstance(answer, LoomError))


async def _accepted_resume(who: str, execution: Execution) -> Finding:
    answer = await attempt(execution.resume())
    return Finding(f"{who}: accepted", _said(answer), not isinstance(answer, LoomError))


def _said(answer: Any) -> str:
    return answer.code if isinstance(answer, LoomError) else "accepted"


def _shown(claimed: Iterable[c.Claimed]) -> str:
    return _shown_tokens(one.credential for one in claimed)


def _shown_tokens(credentials: Iterable[Credential]) -> str:
    return ", ".join(sorted({credential.token.shown for credential in credentials}))
