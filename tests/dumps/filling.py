"""A store with rows in every table, made by its own calls wherever there is one."""

from __future__ import annotations

from typing import Any

from loom.ids import ExecutionId, Incarnation, Instant, Namespace, Sequence
from loom.kernel import calls as c
from loom.stores.timer_store import REDRIVE, WAKE, ClaimDue, Schedule, TimerKey, TimerStore
from loom_conformance import Subject
from loom_conformance.checks import attempt
from loom_conformance.scene import WORKFLOW, Scene, event, mint_nonce
from loom_conformance.waits import child, message, timer
from loom_retention.archive import Manifest
from loom_retention.catalogue import Catalogue
from loom_retention.policy import Keep
from loom_retention.reports import Report

UNREACHED = (
    "INSERT INTO {at}metas (head, bytes, version, name) SELECT head, CAST('1' AS {bytes}), 1, 'n'"
    " FROM {at}heads LIMIT 1",
    "INSERT INTO {at}blobs (head, ref, bytes) SELECT head, 'r', CAST('2' AS {bytes}) FROM {at}heads LIMIT 1",
    "INSERT INTO {at}namespaces (name, limits, paused) VALUES ('dumped', NULL, {false})",
    "INSERT INTO {at}queues (namespace, name, paused) VALUES ('dumped', 'q', {false})",
)
"""Tables that no call writes yet."""


async def fill_store(store: Any) -> None:
    """Executions in every status, with children, mail, pins, refusals, duties and hints."""
    scene = Scene(Subject(name="dump", store=store), "dump")
    await scene.start()
    await scene.single(timeout_ms=3_600_000)
    parent = await scene.owned()
    first = await parent.start_child("done")
    await parent.start_child("open")
    await first.end(value={"paid": 3})
    await parent.park(child("open"), message("mail", "k"))
    await parent.send("mail", {"x": 1}, key="other")
    receiver = await scene.parked(message("mail"))
    await receiver.send("mail", {"text": "é\\u0000"})
    parked = await scene.parked(timer(3_600_000))
    await parked.cancel()
    for ending in ("EXECUTION_COMPLETED", "EXECUTION_FAILED", "EXECUTION_CANCELLED"):
        await scene.ended(ending)
    pinned = await scene.ended()
    await store.set_pin(c.SetPin(**pinned.seen, owner="operator", reason="to be looked at"))
    await scene.deleted()
    chain = await scene.owned()
    await chain.start_child("kept", scope="chain")
    await chain.send("mail")
    await chain.continue_as_new()
    late = await scene.owned()
    was = late.held
    await late.release()
    await late.claim()
    await attempt(late.append(event("STEP_COMPLETED", {"late": True}), credential=was))
    await store.claim_runnable(
        c.ClaimRunnable(
            namespace=Namespace("dumped"),
            queue="q",
            workflows=(f"{WORKFLOW}@0",),
            max=1,
            nonce=mint_nonce(),
            owner="worker",
        )
    )
    await store.take_duty(c.TakeDuty(name="dumped", owner="somebody", term=0, ttl_ms=1_000))
    await store.heartbeat(c.Heartbeat(instance="timers.old", role="timers", version="0.1.0", features=("redrives",)))


async def fill_timers(timers: TimerStore) -> None:
    """A wake and a re-drive, one of them claimed."""
    for park_seq, kind in ((2, WAKE), (4, REDRIVE)):
        key = TimerKey(
            namespace=Namespace("n"),
            execution_id=ExecutionId("e"),
            incarnation=Incarnation(7),
            park_seq=Sequence(park_seq),
            wait_id="timer",
            kind=kind,
        )
        await timers.schedule(Schedule(key=key, delay_ms=0))
    await timers.claim_due(ClaimDue(kinds=(WAKE,), claim="claim", limit=1, ttl_ms=1_000))


async def fill_catalogue(catalogue: Catalogue) -> None:
    """A policy, a sweep, an archived log."""
    await catalogue.write_policy(Namespace("n"), Keep(completed=5))
    await catalogue.write_sweep(Report(started_at=Instant(1), dry_run=False, finished=True, counts={}, items=()))
    await catalogue.write_archive(
        Manifest(
            format=1,
            namespace="n",
            execution_id="e",
            incarnation=Incarnation(7),
            ending="completed",
            last_seq=Sequence(3),
            events=3,
            edges=0,
            messages=0,
            bytes=10,
            sha256="0" * 64,
            archived_at=Instant(2),
            file="7.jsonl.zst",
        )
    )
