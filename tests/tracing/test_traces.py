"""All services and a worker, each over REST: what becomes one trace, and where another begins."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import StatusCode

import loom
from fixtures.spans import Spans, linked, not_recorded, roots, trace_id
from fixtures.wrapped import failing
from flows.cluster import NAMESPACE, Cluster
from loom.clock import ManualClock
from loom.errors import ResumeContended, Stale
from loom.kernel.hints import ChildDone, ExecutionParked
from loom.stores.memory import MemoryEventStore
from loom.stores.timer_store import MemoryTimerStore
from loom.tracing import CONTINUE_MS
from loom.worker import segments

LEASE_MS = 50_000  # renewed after a third of it, which no test takes; shorter than what a trace goes on over


@loom.step
async def work(what: str) -> str:
    """Done."""
    return what


@loom.workflow
async def child(ctx: loom.Context) -> str:
    """One step."""
    return await ctx.step("work", work, "child")


@loom.workflow
async def parent(ctx: loom.Context, sleep_s: int) -> str:
    """Parks on a child, then on a timer, then works."""
    found = await ctx.run_child(child)
    await ctx.sleep(timedelta(seconds=sleep_s))
    return await ctx.step("work", work, found)


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    """Over memory, each service by REST, as it runs alone."""
    clock = ManualClock()
    cluster = Cluster(MemoryEventStore(clock), MemoryTimerStore(clock), clock, rest=True)
    await cluster.start()
    yield cluster
    await cluster.stop()


@asynccontextmanager
async def working(cluster: Cluster, *workflows: loom.Workflow) -> AsyncIterator[loom.Worker]:
    """A worker, stopped on the way out."""
    worker = loom.Worker(
        cluster.store, workflows, namespace=NAMESPACE, ttl_ms=LEASE_MS, poll_wait_ms=50, idle_ms=10, drain_ms=1_000
    )
    running = asyncio.create_task(worker.run())
    try:
        yield worker
    finally:
        worker.stop()
        await running


async def until(cluster: Cluster, holds: Callable[[], Awaitable[bool]]) -> None:
    """Deliver hints and fire timers until it holds."""
    async with asyncio.timeout(30):
        while not await holds():
            await cluster.deliver()
            await cluster.fire()
            await asyncio.sleep(0.01)


def is_shown(cluster: Cluster, execution_id: str, status: str) -> Callable[[], Awaitable[bool]]:
    """Is it?"""

    async def look() -> bool:
        return await cluster.status(execution_id) == status

    return look


def waits_for_a_timer(cluster: Cluster) -> Callable[[], Awaitable[bool]]:
    """Has the parent's sleep a row?"""

    async def look() -> bool:
        return bool(await cluster.rows("parent"))

    return look


async def start(cluster: Cluster, workflow: loom.Workflow, *args: object, id: str = "parent") -> None:
    """As an application does."""
    await loom.Client(cluster.store, namespace=NAMESPACE).start(workflow, *args, id=id)


async def run_parent(cluster: Cluster, sleep_s: int) -> None:
    """From the start to the end, the clock moving on with the sleep alone."""
    async with working(cluster, parent, child):
        await start(cluster, parent, sleep_s)
        await until(cluster, waits_for_a_timer(cluster))
        cluster.clock.advance(sleep_s * 1000)
        await until(cluster, is_shown(cluster, "parent", "completed"))


def bodies(spans: Spans, workflow: str) -> list[ReadableSpan]:
    """Its segments, in order of their beginning."""
    return sorted(spans.named(f"run {workflow}"), key=lambda span: span.start_time)


async def test_start_park_child_timer_and_body_are_one_trace(spans: Spans, cluster: Cluster) -> None:
    """Operations 4.2 rule 1: one root, and no parent is missing; across a child and across a short timer."""
    await run_parent(cluster, 5)

    assert len(spans.traces) == 1, {name: len(found) for name, found in spans.traces.items()}
    assert [span.name for span in roots(list(spans.all))] == ["POST /v1/namespaces/{namespace}/executions"]
    assert spans.orphans == []
    names = {span.name for span in spans.all}
    assert names >= {
        "run parent", "run child", "claim", "step work", "park", "process loom.child-done.v1", "resume", "timer fire",
        "process loom.execution-parked.v1", "send loom.child-done.v1", "send loom.notify-resume.v1",
    }  # fmt: skip
    assert len(bodies(spans, "parent")) == 3
    assert all(span.status.status_code is StatusCode.UNSET for span in spans.all)


async def test_a_hint_without_its_context_breaks_the_trace(spans: Spans, cluster: Cluster) -> None:
    """Negative control: an outbox that drops `traceparent`."""
    cluster.bus.untraced = True

    await run_parent(cluster, 5)

    assert len(spans.traces) > 1


async def test_a_longer_park_begins_a_trace_that_links_to_the_old(spans: Spans, cluster: Cluster) -> None:
    """Operations 4.2 rule 2: after a timer of two minutes; the fire is its root."""
    await run_parent(cluster, 120)

    before, after = (list(found) for found in spans.traces.values())
    (fire,) = roots(after)
    (last,) = (span for span in after if span.name == "run parent")
    assert fire.name == "timer fire"
    assert linked(fire) == linked(last) == {"park": trace_id(before[0])}
    assert len(roots(before)) == 1
    assert spans.orphans == []


async def test_a_child_that_takes_long_begins_a_trace_that_links_to_park_and_cause(
    spans: Spans, cluster: Cluster
) -> None:
    """Operations 4.2 rule 2: the child's end is of the old trace, the parent's segment is not."""
    await start(cluster, parent, 5)
    async with working(cluster, parent):
        await until(cluster, is_shown(cluster, "parent", "parked"))
    cluster.clock.advance(CONTINUE_MS + 1)
    async with working(cluster, child):
        await until(cluster, is_shown(cluster, "parent", "runnable"))
    async with working(cluster, parent):
        await until(cluster, waits_for_a_timer(cluster))

    first, second = bodies(spans, "parent")
    (late,) = bodies(spans, "child")
    assert second.parent is late.parent is None
    assert linked(second) == {"park": trace_id(first), "cause": trace_id(first)}
    assert linked(late) == {"cause": trace_id(first)}


async def test_a_replay_makes_no_step_twice_and_a_late_write_shows_both_tokens(spans: Spans, cluster: Cluster) -> None:
    """Operations 4.2 rules 3 and 6: a second worker takes over; the first comes back and is refused."""
    frozen, thawed = asyncio.Event(), asyncio.Event()

    @loom.step
    async def freeze() -> None:
        if not frozen.is_set():
            frozen.set()
            await thawed.wait()

    @loom.workflow
    async def taken_over(ctx: loom.Context) -> None:
        await ctx.step("first", work, "once")
        await ctx.step("second", freeze)

    await start(cluster, taken_over, id="order")
    async with working(cluster, taken_over):
        await frozen.wait()
        cluster.clock.advance(LEASE_MS + 1)
        async with working(cluster, taken_over):
            await until(cluster, is_shown(cluster, "order", "completed"))
            thawed.set()
            await until(cluster, lambda: _is(len(bodies(spans, "taken_over")) == 2))

    assert len(spans.named("step work")) == 1
    assert len(spans.named("step freeze")) == 2
    zombie = bodies(spans, "taken_over")[0]
    tokens = {"loom.token.expected": "1.1", "loom.token.actual": "1.2"}
    assert [(event.name, dict(event.attributes)) for event in zombie.events] == [("stale", tokens)]
    refused = [span for span in spans.all for event in span.events if event.name == "stale" and span is not zombie]
    assert [dict(span.events[0].attributes) for span in refused] == [tokens]
    assert {span.status.status_code for span in (zombie, *refused)} == {StatusCode.UNSET}
    assert len(spans.traces) == 1
    assert spans.orphans == []


async def test_a_segment_that_fills_its_trace_goes_on_in_another(
    spans: Spans, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Operations 4.2 rule 1: a body that never parks makes no endless trace; the new one links back to the old."""
    monkeypatch.setattr(segments, "SPANS_MAX", 30)

    @loom.workflow
    async def busy(ctx: loom.Context) -> None:
        for number in range(12):
            await ctx.step(f"step {number}", work, "more")

    await start(cluster, busy, id="order")
    async with working(cluster, busy):
        await until(cluster, is_shown(cluster, "order", "completed"))

    parts = bodies(spans, "busy")
    assert len(parts) >= 2
    assert parts[0].parent is not None
    for before, after in itertools.pairwise(parts):
        assert (after.parent, linked(after)) == (None, {"segment": trace_id(before)})
        assert before.attributes["loom.outcome"] == "continued"
    assert len(spans.named("step work")) == 12
    assert max(len(found) for found in spans.traces.values()) <= 30 + segments.SPANS_PER_EVENT
    assert spans.orphans == []


async def test_a_continuation_begins_a_trace_that_links_to_the_one_before(spans: Spans, cluster: Cluster) -> None:
    """Issue 5: a chain of links does not make one trace without end."""

    @loom.workflow
    async def counting(ctx: loom.Context, left: int) -> None:
        if left:
            ctx.continue_as_new(left - 1)

    await start(cluster, counting, 1, id="order")
    async with working(cluster, counting):
        await until(cluster, is_shown(cluster, "order", "completed"))

    first, second = bodies(spans, "counting")
    assert (second.parent, linked(second)) == (None, {"cause": trace_id(first)})
    assert spans.orphans == []


async def test_what_only_a_sweep_found_is_a_trace_of_the_sweep(spans: Spans, cluster: Cluster) -> None:
    """Operations 4.2 rule 5: `swept`; the segment it wakes goes on with it and links to its park."""
    cluster.bus.lost = (ChildDone, ExecutionParked)
    await start(cluster, parent, 5)
    async with working(cluster, parent, child):
        await until(cluster, lambda: _is(len(bodies(spans, "child")) == 1))
        await cluster.sweep()
        await until(cluster, lambda: _is(len(bodies(spans, "parent")) == 2))

    swept = spans.one("sweep")
    first, second = bodies(spans, "parent")
    assert swept.parent is None
    assert swept.attributes["loom.answer.kind"] == "swept"
    assert trace_id(second) == trace_id(swept)
    assert linked(second) == {"park": trace_id(first)}
    assert spans.orphans == []


async def test_a_contended_resume_is_tried_again_in_the_same_trace(spans: Spans, cluster: Cluster) -> None:
    """Operations 4.2 rule 6, kafka 5.2: contended is no error; the later try says how many there were before it."""
    contended = failing(ResumeContended("not now", attempts=3), 1, cluster.store.resume)
    cluster.store.replaced["resume"] = contended
    await start(cluster, parent, 5)
    async with working(cluster, parent, child):
        await until(cluster, lambda: _is(bool(spans.named("resume"))))
        cluster.clock.advance(1_000)
        await until(cluster, lambda: _is(len(bodies(spans, "parent")) == 2))

    tried, won = sorted(spans.named("resume"), key=lambda span: span.start_time)
    assert [event.name for event in tried.events] == ["contended"]
    assert (tried.status.status_code, tried.attributes["loom.outcome"]) == (StatusCode.UNSET, "resume-contended")
    assert won.attributes["loom.outcome"] == "won"
    attempt = spans.one("redrive attempt")
    assert attempt.attributes["loom.outcome"] == "done"
    assert attempt.attributes["loom.answer.kind"] == "redriven"
    assert len(spans.traces) == 1
    assert spans.orphans == []


async def test_what_is_not_recorded_where_it_begins_is_recorded_nowhere(spans: Spans, cluster: Cluster) -> None:
    """Operations 4.2 rule 7: the flag travels in the rows, so that no trace has holes."""
    with not_recorded():
        await start(cluster, parent, 5)
    async with working(cluster, parent, child):
        await until(cluster, waits_for_a_timer(cluster))
        cluster.clock.advance(5_000)
        await until(cluster, is_shown(cluster, "parent", "completed"))

    assert spans.all == ()
    assert {event.traceparent is None for event in await cluster.events("parent")} == {False}


async def test_a_segment_whose_log_cannot_be_read_links_to_its_cause(spans: Spans, cluster: Cluster) -> None:
    """Taken over before it has read anything: the claim's head tells what began it."""
    reads = asyncio.Event()

    async def late(call: object) -> object:
        reads.set()
        raise Stale("taken over")

    await start(cluster, parent, 5)
    cluster.store.replaced["read_events"] = late
    async with working(cluster, parent):
        await reads.wait()
        await until(cluster, lambda: _is(bool(bodies(spans, "parent"))))

    lost = bodies(spans, "parent")[0]
    assert lost.attributes["loom.outcome"] == "lost"
    assert linked(lost) == {"cause": trace_id(spans.all[0])}


async def test_no_payload_is_in_any_span(spans: Spans, cluster: Cluster) -> None:
    """Operations 4.2 rule 5: neither arguments nor results, nor what an exception says of them."""
    secret = "4111-1111"

    @loom.step(retry=loom.Retry(max_attempts=1))
    async def charge(card: str) -> str:
        raise ValueError(f"no such card: {card}")

    @loom.workflow
    async def order(ctx: loom.Context, card: str) -> str:
        await ctx.step("charge", charge, card)
        return card

    await start(cluster, order, secret, id="order")
    async with working(cluster, order):
        await until(cluster, is_shown(cluster, "order", "failed"))

    failed = spans.one("step charge")
    assert (failed.status.status_code, failed.attributes["error.type"]) == (StatusCode.ERROR, "ValueError")
    assert secret not in "".join(span.to_json() for span in spans.all)


async def _is(true: bool) -> bool:
    return true
