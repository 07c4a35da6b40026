"""The trace of a call is kept with what it writes: on events, on hints, on the head for whoever runs the segment.

Spans may be made between a caller and the store, so what is compared is the trace, never the span.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from opentelemetry import trace
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags

from loom.kernel import calls as c
from loom.kernel.hints import ChildDone, ExecutionParked, Hint, NotifyResume
from loom_conformance.case import Suite
from loom_conformance.checks import equal, holds
from loom_conformance.scene import WORKFLOW, Execution, Scene, event, mint, mint_nonce
from loom_conformance.subject import NotReachable
from loom_conformance.waits import child, message, timer

SUITE = Suite("tracing")


@contextmanager
def in_trace(scene: Scene) -> Iterator[str]:
    """The calls of this block are made in a trace of their own; its id. Not reachable where it would not arrive."""
    if not scene.subject.traced:
        raise NotReachable("needs a caller whose trace reaches the store")
    context = SpanContext(
        secrets.randbits(128) | 1, secrets.randbits(64) | 1, is_remote=False, trace_flags=TraceFlags(TraceFlags.SAMPLED)
    )
    with trace.use_span(NonRecordingSpan(context)):
        yield trace.format_trace_id(context.trace_id)


def trace_of(traceparent: str | None) -> str | None:
    """The id in a W3C text: `00-<trace>-<span>-<flags>`."""
    return None if traceparent is None else traceparent.split("-")[1]


async def _kept(execution: Execution) -> list[tuple[str, str | None]]:
    """The kinds of the log, each with its trace."""
    return [(each.kind, trace_of(each.traceparent)) for each in await execution.log()]


async def _of_head(execution: Execution) -> str | None:
    return trace_of((await execution.head()).traceparent)


async def _told(scene: Scene, kind: type[Hint], key: str, told: Callable[[Any], object]) -> dict[Any, str | None]:
    """The traces of the hints of one kind about one key; `told` says which is which."""
    return {
        told(envelope.hint): trace_of(envelope.traceparent)
        for envelope in await scene.told()
        if isinstance(envelope.hint, kind) and envelope.hint.key == key
    }


def _key(execution: Execution) -> str:
    return f"{execution.ref.namespace}/{execution.ref.execution_id}"


@SUITE.case
async def every_event_keeps_the_trace_of_its_call(scene: Scene) -> None:
    """Operations 4.2 rule 3: of the creating request, of each append, of the park and of what answers it."""
    with in_trace(scene) as started:
        execution = await scene.start()
    await execution.claim()
    with in_trace(scene) as appended:
        await execution.append("STEP_STARTED", "STEP_COMPLETED")
    with in_trace(scene) as parked:
        await execution.park(timer(0))
    with in_trace(scene) as resumed:
        await execution.resume()
    await execution.claim()
    with in_trace(scene) as ended:
        await execution.append(event("EXECUTION_COMPLETED"))

    equal(
        await _kept(execution),
        [
            ("EXECUTION_STARTED", started),
            ("STEP_STARTED", appended),
            ("STEP_COMPLETED", appended),
            ("EXECUTION_SUSPENDED", parked),
            ("EXECUTION_RESUMED", resumed),
            ("EXECUTION_COMPLETED", ended),
        ],
    )


@SUITE.case
async def what_an_answer_copies_keeps_its_trace_too(scene: Scene) -> None:
    """Operations 4.2 rule 3: an outcome and a message come with the RESUMED, in the trace of the answer."""
    parent = await scene.owned()
    kid = await parent.start_child("kid")
    await kid.end()
    await parent.park(child("kid"))
    with in_trace(scene) as resumed:
        await parent.resume("kid", "kid")
    receiver = await scene.parked(message("mail"))
    with in_trace(scene) as sent:
        await receiver.send("mail")

    equal((await _kept(parent))[-2:], [("CHILD_OUTCOME", resumed), ("EXECUTION_RESUMED", resumed)])
    equal((await _kept(receiver))[-2:], [("MESSAGE_CONSUMED", sent), ("EXECUTION_RESUMED", sent)])


@SUITE.case
async def rare_calls_keep_their_trace_too(scene: Scene) -> None:
    """Operations 4.2 rule 3: a batch, a note, a cancel request, an eviction, an operator's end."""
    execution = await scene.owned()
    item = c.AppendItem(
        execution_id=execution.ref.execution_id, credential=execution.held, events=(event("STEP_STARTED"),)
    )
    with in_trace(scene) as batched:
        await scene.store.append_batch(c.AppendBatch(namespace=scene.namespace, batch_id=mint(), items=(item,)))
    with in_trace(scene) as noted:
        await execution.note()
    with in_trace(scene) as cancelled:
        await execution.cancel()
    with in_trace(scene) as evicted:
        await execution.evict()
    with in_trace(scene) as failed:
        await execution.fail()

    traces = [kept for _, kept in await _kept(execution)]
    equal(traces[1:], [batched, noted, cancelled, evicted, failed])


@SUITE.case
async def a_claim_answers_with_the_trace_of_the_segment(scene: Scene) -> None:
    """Kafka 5.3: the newest STARTED or RESUMED began what the owner is about to run, whoever claims it and when."""
    with in_trace(scene) as started:
        execution = await scene.start()
    with in_trace(scene):
        first = await execution.claim()
    with in_trace(scene):
        await execution.append("STEP_STARTED")
        await execution.park(timer(0))
    equal((trace_of(first.head.traceparent), await _of_head(execution)), (started, started))
    with in_trace(scene) as resumed:
        await execution.resume()

    with in_trace(scene):
        claims = await scene.store.claim_runnable(
            c.ClaimRunnable(
                namespace=scene.namespace,
                queue=scene.queue,
                workflows=(f"{WORKFLOW}@0",),
                max=1,
                nonce=mint_nonce(),
                owner=mint("owner"),
            )
        )

    equal([trace_of(claimed.head.traceparent) for claimed in claims.items], [resumed])


@SUITE.case
async def a_message_begins_a_segment_in_the_senders_trace(scene: Scene) -> None:
    """Kafka 5.3: it answers the park, so what runs next goes on where the send was."""
    receiver = await scene.parked(message("mail"))

    with in_trace(scene) as sent:
        await receiver.send("mail")

    equal(await _of_head(receiver), sent)


@SUITE.case
async def the_next_link_begins_where_the_last_one_continued(scene: Scene) -> None:
    """Operations 4.2 rule 1: a continuation ends a segment; what the next one may link to is on its STARTED."""
    with in_trace(scene) as started:
        execution = await scene.start()
    await execution.claim()
    with in_trace(scene) as continued:
        following = await execution.continue_as_new()

    equal((await _of_head(execution.ended_link), await _of_head(following)), (started, continued))
    equal((await _kept(execution.ended_link))[-1], ("EXECUTION_CONTINUED", continued))
    equal(await _kept(following), [("EXECUTION_STARTED", continued)])


@SUITE.case
async def a_hint_carries_the_trace_of_what_it_tells(scene: Scene) -> None:
    """Kafka 5.3: the row of the outbox keeps the context of its call, so that the reader's span has a parent."""
    with in_trace(scene) as started:
        execution = await scene.start()
    await execution.claim()
    with in_trace(scene) as released:
        await execution.release()
    await execution.claim_when_due()
    with in_trace(scene) as parked:
        await execution.park(timer(0), message("mail"))
    with in_trace(scene) as sent:
        await execution.send("mail")
    await execution.claim()
    await execution.park(timer(0))
    with in_trace(scene) as resumed:
        await execution.resume()

    runnable = await _told(scene, NotifyResume, _key(execution), lambda hint: hint.reason)
    parks = await _told(scene, ExecutionParked, _key(execution), lambda hint: hint.park_seq)
    equal(runnable, {"started": started, "released": released, "send": sent, "resume": resumed})
    equal(parks[min(parks)], parked)


@SUITE.case
async def a_childs_end_is_told_in_the_trace_of_its_own_segment(scene: Scene) -> None:
    """Kafka 5.3: a child finished by a foreign worker must not drag the resume into that worker's trace."""
    parent = await scene.owned()
    with in_trace(scene) as begun:
        first, second = await parent.start_child("first"), await parent.start_child("second")
    await second.claim()
    await second.park(timer(0))
    with in_trace(scene) as resumed:
        await second.resume()
    with in_trace(scene) as elsewhere:
        await first.end()
        await second.end()

    told = await _told(scene, ChildDone, _key(parent), lambda hint: hint.child_key)
    equal(told, {"first": begun, "second": resumed})
    holds((await _kept(first))[-1] == ("EXECUTION_COMPLETED", elsewhere), "the end itself is in the trace of its call")


@SUITE.case
async def a_repeat_is_known_in_whatever_trace_it_comes(scene: Scene) -> None:
    """Operations 4.2, I3: a trace is in no digest: the first answer again, nothing written, the first trace stays."""
    execution = await scene.owned()
    call = execution.append_call("STEP_STARTED")
    with in_trace(scene) as first:
        answer = await scene.store.append(call)
    with in_trace(scene):
        again = await scene.store.append(call)
    with in_trace(scene):
        start = scene.start_call()
        started = await scene.store.start(start)
    with in_trace(scene):
        started_again = await scene.store.start(start)

    equal((again.first_seq, started_again), (answer.first_seq, started))
    equal((await _kept(execution))[1:], [("STEP_STARTED", first)])
