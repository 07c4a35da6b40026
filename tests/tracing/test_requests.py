from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest
from opentelemetry.trace import SpanKind, StatusCode

from fixtures.spans import Spans, linked, trace_id
from loom import tracing
from loom.client.event_store import HttpEventStore
from loom.clock import ManualClock
from loom.errors import LoomError, NotFound, Stale
from loom.ids import ExecutionId, Namespace, Nonce
from loom.kernel import calls as c
from loom.kernel.events import NewEvent
from loom.stores.memory import MemoryEventStore
from loom_event_store.app import build_service
from loom_event_store.settings import EventStoreSettings
from loom_servicekit.app import create_app
from loom_servicekit.bus.in_process import InProcessBus

SHOP = Namespace("shop")
START = "POST /v1/namespaces/{namespace}/executions"
STRANGER = "4bf92f3577b34da6a3ce929d0e0e4736"


@pytest.fixture
def clock() -> ManualClock:
    """The store's."""
    return ManualClock()


@pytest.fixture
async def transport(clock: ManualClock) -> httpx.ASGITransport:
    """An event store over memory, as it runs alone."""
    service = build_service(EventStoreSettings(), store=MemoryEventStore(clock), bus=InProcessBus())
    return httpx.ASGITransport(create_app([service]))


@pytest.fixture
async def store(transport: httpx.ASGITransport) -> AsyncIterator[HttpEventStore]:
    """Loom's own client."""
    async with HttpEventStore("http://event-store", transport=transport, attempts=1) as store:
        yield store


@pytest.fixture
async def caller(transport: httpx.ASGITransport) -> AsyncIterator[httpx.AsyncClient]:
    """Somebody who is not Loom's client."""
    async with httpx.AsyncClient(base_url="http://event-store", transport=transport) as caller:
        yield caller


def begin(execution_id: str = "order-1") -> c.Start:
    """A start."""
    return c.Start(
        namespace=SHOP, execution_id=ExecutionId(execution_id), batch_id=execution_id, workflow="w", queue="default"
    )


async def claim(store: HttpEventStore, nonce: str = "1" * 32) -> c.Claimed:
    """Take it, by what is seen now."""
    head = await store.read_head(c.ReadHead(namespace=SHOP, execution_id=ExecutionId("order-1")))
    return await store.claim(
        c.Claim(
            namespace=SHOP,
            execution_id=head.execution_id,
            incarnation=head.incarnation,
            token=head.token,
            nonce=Nonce(nonce),
            owner="w",
            ttl_ms=60_000,
        )
    )


async def test_a_request_is_one_trace_of_client_and_server(spans: Spans, store: HttpEventStore) -> None:
    """Operations 4.2 rules 4 and 5: names by template, attributes name the execution."""
    await store.start(begin())

    server, client = spans.named(START)
    assert (client.kind, server.kind) == (SpanKind.CLIENT, SpanKind.SERVER)
    assert client.parent is None
    assert server.parent is not None
    assert server.parent.span_id == client.context.span_id
    assert server.attributes["http.response.status_code"] == 201


async def test_the_log_keeps_the_context_of_the_request(spans: Spans, store: HttpEventStore) -> None:
    """Operations 4.2 rule 3: links survive restarts because events hold the context."""
    await store.start(begin())

    log = await store.read_events(c.ReadEvents(namespace=SHOP, execution_id=ExecutionId("order-1")))
    server = spans.named(START)[0]
    assert log.events[0].traceparent is not None
    assert log.events[0].traceparent.startswith(f"00-{trace_id(server)}-{server.context.span_id:016x}-")


async def test_polls_renewals_health_and_lone_reads_make_no_spans(
    spans: Spans, store: HttpEventStore, caller: httpx.AsyncClient
) -> None:
    """Kafka 5.1: a poll loop would make a trace per poll."""
    await store.start(begin())
    claimed = await claim(store)
    spans.clear()

    of = {"namespace": SHOP, "execution_id": ExecutionId("order-1")}
    await store.renew(c.Renew(**of, credential=claimed.credential, ttl_ms=60_000))
    await store.claim_runnable(
        c.ClaimRunnable(
            namespace=SHOP, queue="default", workflows=("w@0",), max=1, nonce=Nonce("2" * 32), owner="w", wait_ms=1
        )
    )
    duty = await store.read_duty(c.ReadDuty(name="relay"))
    await store.take_duty(c.TakeDuty(name="relay", owner="me", term=duty.term, ttl_ms=1_000, ran=False))
    await store.heartbeat(c.Heartbeat(instance="timers.one", role="timers", version="1", features=()))
    await store.read_events(c.ReadEvents(**of))
    await store.list_due(c.ListDue(about="overdue"))
    for path in ("/healthz/live", "/healthz/ready", "/docs", "/v1/surfaces"):
        assert (await caller.get(path)).is_success
    with tracing.sweep(claimed.credential.execution, "overdue"):
        await store.read_events(c.ReadEvents(**of, wait_ms=1))

    assert [span.name for span in spans.all] == ["sweep"]


async def test_a_read_within_an_act_is_part_of_it(spans: Spans, store: HttpEventStore) -> None:
    """A supervisor's look at the park is between the hint and the resume."""
    await store.start(begin())
    claimed = await claim(store)
    spans.clear()

    with tracing.sweep(claimed.credential.execution, "satisfied"):
        await store.read_park(c.ReadPark(namespace=SHOP, execution_id=ExecutionId("order-1")))

    assert [span.kind for span in spans.all] == [SpanKind.SERVER, SpanKind.CLIENT, SpanKind.INTERNAL]
    assert len(spans.traces) == 1
    assert not spans.orphans


async def test_a_late_write_shows_both_tokens_and_is_no_error(
    spans: Spans, store: HttpEventStore, clock: ManualClock
) -> None:
    """Operations 4.2 rule 6: stale is a normal outcome; the nonce is in no span (rule 5)."""
    await store.start(begin())
    zombie = await claim(store)
    clock.advance(60_001)
    await claim(store, "3" * 32)
    spans.clear()

    with pytest.raises(Stale):
        await store.append(
            c.Append(
                namespace=SHOP,
                execution_id=ExecutionId("order-1"),
                credential=zombie.credential,
                batch_id="late",
                events=(NewEvent(kind="LATE"),),
            )
        )

    server, client = spans.all
    told = [(event.name, dict(event.attributes)) for event in server.events]
    assert told == [("stale", {"loom.token.expected": "1.1", "loom.token.actual": "1.2"})]
    assert {server.status.status_code, client.status.status_code} == {StatusCode.UNSET}
    assert server.attributes["loom.outcome"] == client.attributes["loom.outcome"] == "stale"
    assert "1" * 32 not in "".join(span.to_json() for span in spans.all)


async def test_what_cannot_be_reached_is_an_error_and_a_no_is_none(spans: Spans, store: HttpEventStore) -> None:
    """Operations 4.2 rule 6: only faults are errors, or the error rate means nothing."""

    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("nobody there")

    async with HttpEventStore("http://nowhere", transport=httpx.MockTransport(refuse), attempts=1) as nowhere:
        with pytest.raises(LoomError):
            await nowhere.start(begin())
    with pytest.raises(NotFound):
        await store.cancel(c.Cancel(namespace=SHOP, execution_id=ExecutionId("none"), chain="*", batch_id="1"))

    unreachable, *noes = spans.all
    assert unreachable.status.status_code is StatusCode.ERROR
    assert {span.status.status_code for span in noes} == {StatusCode.UNSET}
    assert {span.attributes["loom.outcome"] for span in noes} == {"not-found"}


@pytest.mark.parametrize("sampled", [True, False])
async def test_the_trace_of_a_stranger_is_a_hint(spans: Spans, caller: httpx.AsyncClient, sampled: bool) -> None:
    """Operations 4.2 rule 2, ADR 9: gone on with if it is recorded; else its root would be missing, so it is a link."""
    headers = {"traceparent": f"00-{STRANGER}-00f067aa0ba902b7-0{int(sampled)}", "Idempotency-Key": "1"}
    body = {"execution_id": "order-1", "workflow": "w"}
    answer = await caller.post("/v1/namespaces/shop/executions", json=body, headers=headers)

    assert answer.status_code == 201, answer.text
    server = spans.one(START)
    assert (trace_id(server) == STRANGER) is sampled
    assert linked(server) == ({} if sampled else {"caller": STRANGER})
    assert (server.parent is None) is not sampled


async def test_what_loom_did_not_sample_stays_so(spans: Spans, caller: httpx.AsyncClient) -> None:
    """ADR 9: the sampler's decision is marked in tracestate, and then the flag decides."""
    headers = {
        "traceparent": f"00-{STRANGER}-00f067aa0ba902b7-00",
        "tracestate": f"{tracing.OURS}=1",
        "Idempotency-Key": "1",
    }
    body = {"execution_id": "order-1", "workflow": "w"}
    answer = await caller.post("/v1/namespaces/shop/executions", json=body, headers=headers)

    assert answer.status_code == 201
    assert spans.all == ()


async def test_an_unknown_path_and_a_fault_have_names_of_few_values(spans: Spans, caller: httpx.AsyncClient) -> None:
    """Operations 4.2 rule 4: no id ever comes into a name."""
    await caller.post("/v1/no/such/path")

    assert [span.name for span in spans.all] == ["POST *"]


async def test_without_an_sdk_nothing_is_sent_and_nothing_kept(store: HttpEventStore) -> None:
    """Tracing off is off: no header, no context in the log."""
    await store.start(begin())

    log = await store.read_events(c.ReadEvents(namespace=SHOP, execution_id=ExecutionId("order-1")))
    assert log.events[0].traceparent is None
    assert not tracing.is_on()
    with tracing.client_request("POST", "/v1/x") as headers:
        assert headers == {}
