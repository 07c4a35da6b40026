from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path as File

import httpx
import pytest

from loom.client.event_store import HttpEventStore
from loom.errors import LoomError, LostHistory, NotFound, Stale
from loom.ids import Credential, ExecutionId, Incarnation, Namespace, Nonce, Token
from loom.kernel import calls as c
from loom.kernel.events import NewEvent
from loom.kernel.heads import Head, Status
from loom.kernel.parks import Child, ChildWait, Message, MessageWait
from loom.kernel.raw_json import NULL, RawJson, encode
from loom.stores.memory import MemoryEventStore
from loom.stores.surfaces import SURFACES
from loom.wire.members import members_of
from loom.wire.paths import BY_CALL, PATHS, Path
from loom_event_store.app import build_service
from loom_event_store.openapi import document
from loom_event_store.protocol import TABLES, with_tables
from loom_event_store.routes import REFUSED
from loom_event_store.schemas import components
from loom_event_store.settings import EventStoreSettings
from loom_servicekit.app import create_app
from loom_servicekit.bus.in_process import InProcessBus

SHOP, ORDER = Namespace("shop"), ExecutionId("ord-17")
SECRET = Nonce("0123456789abcdefSECRET")
DOCS = File(__file__).parents[2] / "docs"


@pytest.fixture
async def transport() -> AsyncIterator[httpx.ASGITransport]:
    """The service over a store in memory."""
    service = build_service(EventStoreSettings(), store=MemoryEventStore(), bus=InProcessBus())
    app = create_app([service])
    async with app.router.lifespan_context(app):
        yield httpx.ASGITransport(app, raise_app_exceptions=False)


@pytest.fixture
async def store(transport: httpx.ASGITransport) -> AsyncIterator[HttpEventStore]:
    """The port over HTTP."""
    async with HttpEventStore("http://loom", transport=transport) as store:
        yield store


@pytest.fixture
async def raw(transport: httpx.ASGITransport) -> AsyncIterator[httpx.AsyncClient]:
    """HTTP itself."""
    async with httpx.AsyncClient(base_url="http://loom", transport=transport) as client:
        yield client


async def start(store: HttpEventStore, execution_id: ExecutionId = ORDER, **members: object) -> c.Started:
    """An execution on a queue."""
    call = {"namespace": SHOP, "execution_id": execution_id, "batch_id": "s", "workflow": "w", "queue": "q"}
    return await store.start(c.Start(**(call | members)))


async def owned(store: HttpEventStore, execution_id: ExecutionId = ORDER) -> c.Claimed:
    """An execution and its owner."""
    started = await start(store, execution_id)
    return await store.claim(
        c.Claim(
            namespace=SHOP,
            execution_id=execution_id,
            incarnation=started.execution.incarnation,
            token=Token(0),
            nonce=SECRET,
            owner="worker",
            ttl_ms=60_000,
        )
    )


# --- the port ---------------------------------------------------------------------------------------------------------


async def test_a_payload_comes_back_byte_for_byte(store: HttpEventStore) -> None:
    """I4, A4: key order, huge numbers, escaped NUL, lone surrogates and doubled keys are carried, not read."""
    payload = RawJson('{"b" : 1,"a":[1e400, "\\u0000\\ud800"], "b":' + "9" * 400 + "}")
    started = await start(store, queue=None)

    await store.append(
        c.Append(
            namespace=SHOP,
            execution_id=ORDER,
            incarnation=started.execution.incarnation,
            batch_id="a",
            events=(NewEvent(kind="NOTED", payload=payload),),
        )
    )

    log = await store.read_events(c.ReadEvents(namespace=SHOP, execution_id=ORDER))
    assert [event.payload for event in log.events][-1] == payload


async def test_an_outcome_that_is_null_is_not_one_that_is_absent(store: HttpEventStore) -> None:
    """A child that completed with null has an outcome; an open one has none."""
    claimed = await owned(store)
    child = await store.start_child(
        c.StartChild(
            namespace=SHOP,
            execution_id=ORDER,
            credential=claimed.credential,
            batch_id="c",
            child_key="k",
            workflow="w",
        )
    )
    children = c.ReadChildren(namespace=SHOP, execution_id=ORDER)
    (edge,) = (await store.read_children(children)).items
    assert edge.outcome is None

    await store.fail(c.Fail(namespace=SHOP, execution_id=child.child.execution_id, incarnation=child.child.incarnation))

    (edge,) = (await store.read_children(children)).items
    assert (edge.status, edge.outcome) == ("failed", NULL)


async def test_an_owner_in_the_path_may_hold_a_slash(store: HttpEventStore) -> None:
    """Names are text; %2F in a path is part of a name and no border."""
    started = await start(store)
    at = {"namespace": SHOP, "execution_id": ORDER, "incarnation": started.execution.incarnation}

    pins = await store.set_pin(c.SetPin(**at, owner="ops/ü %2F", reason="kept"))

    assert [pin.owner for pin in pins.items] == ["ops/ü %2F"]
    assert (await store.remove_pin(c.RemovePin(**at, owner="ops/ü %2F"))).items == ()


async def test_the_table_of_surfaces_is_served(store: HttpEventStore) -> None:
    """Law 3: a worker compares the table with the one it knows."""
    assert await store.read_surfaces() == SURFACES


async def test_a_refusal_arrives_as_the_error_it_was(store: HttpEventStore) -> None:
    """Design 5: one table of codes."""
    with pytest.raises(NotFound) as caught:
        await store.read_head(c.ReadHead(namespace=SHOP, execution_id=ORDER))

    assert caught.value.facts["execution_id"] == ORDER


# --- problems ---------------------------------------------------------------------------------------------------------


async def test_a_problem_says_what_rfc_9457_says_and_what_to_do(raw: httpx.AsyncClient, store: HttpEventStore) -> None:
    """Design 5: type, title, status, detail, instance; a stable code, retryable, the ids involved."""
    claimed = await owned(store)
    body = {"incarnation": str(claimed.credential.incarnation), "nonce": "x" * 22, "owner": "o", "ttl_ms": 60_000}

    url = "/v1/namespaces/shop/executions/ord-17/claim"
    answer = await raw.post(url, json=body | {"token": str(int(claimed.credential.token))})

    problem = answer.json()
    assert (answer.status_code, answer.headers["Content-Type"]) == (409, "application/problem+json")
    assert problem["type"] == "urn:loom:problem:lease-held"
    assert (problem["code"], problem["retryable"], problem["status"]) == ("lease-held", True, 409)
    assert problem["instance"] == url
    assert int(answer.headers["Retry-After"]) >= 1


async def test_a_problem_never_repeats_a_secret(raw: httpx.AsyncClient) -> None:
    """H: the nonce appears in no answer but the claim's, whatever was wrong with the call."""
    for body in (
        {"credential": {"nonce": SECRET, "colour": 1}, "events": []},
        {"credential": {"nonce": [SECRET]}, "events": SECRET},
        {"credential": SECRET},
    ):
        answer = await raw.post("/v1/namespaces/shop/executions/ord-17/events", json=body)
        assert answer.status_code == 400
        assert SECRET not in answer.text


async def test_the_nonce_is_in_the_claims_answer_and_in_no_other(raw: httpx.AsyncClient, store: HttpEventStore) -> None:
    """Design 1: a secret. Everything that can be read of an execution is searched for it and for its hash."""
    claimed = await owned(store)
    assert claimed.credential.nonce == SECRET

    read = []
    for path in PATHS:
        if path.method == "GET" and "execution_id" in path.in_path:
            answer = await raw.get(path.template.format(namespace=SHOP, execution_id=ORDER))
            assert answer.is_success, path.port
            read.append(answer.text)

    assert len(read) >= 7
    assert not any(SECRET in text or "grant" in text.replace("grants", "") for text in read)


async def test_a_fault_of_our_own_is_told_without_its_particulars(caplog: pytest.LogCaptureFixture) -> None:
    """A bug is a 500 with a problem, logged once; what it was about stays inside."""

    class Broken(MemoryEventStore):
        async def read_head(self, call: c.ReadHead) -> Head:
            """Fail as no store should."""
            raise RuntimeError("secret particulars")

    app = create_app([build_service(EventStoreSettings(), store=Broken(), bus=InProcessBus())])
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(base_url="http://loom", transport=transport) as client:
        answer = await client.get("/v1/namespaces/shop/executions/ord-17")

    assert (answer.status_code, answer.json()["code"]) == (500, "internal")
    assert "particulars" not in answer.text
    assert "particulars" in caplog.text


OLD = Credential(
    namespace=SHOP, execution_id=ORDER, incarnation=Incarnation(1), token=Token((1 << 32) | 7), nonce=SECRET
)
HERE = {"namespace": SHOP, "execution_id": ORDER}
OWNED = {**HERE, "credential": OLD}
LATE = (
    c.Append(**OWNED, batch_id="a", events=(NewEvent(kind="a"),)),
    c.AppendBatch(namespace=SHOP, batch_id="b", items=(c.AppendItem(execution_id=ORDER, credential=OLD, events=()),)),
    c.Park(**OWNED, batch_id="c", waits=(MessageWait(id="w", message=Message(name="mail")),)),
    c.StartChild(**OWNED, batch_id="d", child_key="kid", workflow="w"),
    c.Attach(**OWNED, batch_id="e", child_key="kid", child_id=ExecutionId("other"), chain="*"),
    c.ContinueAsNew(**OWNED, batch_id="f"),
    c.Send(**HERE, chain="*", message_id="m", name="mail", sender=OLD),
    c.Renew(**OWNED, ttl_ms=1000),
    c.Release(**OWNED),
    c.Resume(**OWNED, incarnation=Incarnation(1), park_seq=2, wait="w"),
    c.Delete(**OWNED, incarnation=Incarnation(1)),
)


@pytest.mark.parametrize("call", LATE, ids=lambda call: type(call).__name__)
async def test_a_late_write_is_counted_on_its_surface(call: object) -> None:
    """Law 3: one counter of refused writes for each surface; other refusals are none."""
    assert {BY_CALL[type(call)].port for call in LATE} == {surface.call for surface in SURFACES}
    mine = REFUSED[BY_CALL[type(call)].port]
    before = {surface: count.total for surface, count in REFUSED.items()}

    for error in (Stale, LostHistory, NotFound):
        service = build_service(EventStoreSettings(), store=_Refusing(error), bus=InProcessBus())
        transport = httpx.ASGITransport(create_app([service]))
        async with HttpEventStore("http://loom", transport=transport) as store:
            with pytest.raises(error):
                await getattr(store, BY_CALL[type(call)].port)(call)

    grown = {surface for surface, count in REFUSED.items() if count.total != before[surface]}
    assert (grown, mine.total - before[BY_CALL[type(call)].port]) == ({BY_CALL[type(call)].port}, 2)


class _Refusing(MemoryEventStore):
    """Every write meets the same error."""

    def __init__(self, error: type[LoomError]) -> None:
        super().__init__()
        self._error = error

    async def _write(self, call: object) -> None:
        raise self._error


# --- the document -----------------------------------------------------------------------------------------------------


def test_the_document_in_the_repository_is_true() -> None:
    """C2: a stale docs/openapi.json fails; `make openapi` writes it."""
    written = json.loads((DOCS / "openapi.json").read_text())

    assert written == json.loads(json.dumps(document()))


def test_the_tables_of_the_protocol_are_true() -> None:
    """Design 5: one table of errors, of kinds, of legality in the code, printed into the docs by `make openapi`."""
    written = (DOCS / "protocol.md").read_text("utf-8")

    assert written == with_tables(written)
    assert all(f"<!-- generated: {table} -->" in written for table in TABLES)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.port)
def test_every_call_is_in_the_document_with_all_its_members(path: Path) -> None:
    """C1: the routes bypass the framework's models and stay in its OpenAPI, each member in one place."""
    operation = document()["paths"][path.template][path.method.lower()]

    named = [parameter["name"] for parameter in operation["parameters"]]
    if "requestBody" in operation:
        reference = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]
        named += components()[reference.rpartition("/")[2]]["properties"]
    assert sorted("batch_id" if name == "Idempotency-Key" else name for name in named) == sorted(members_of(path.call))
    assert str(path.status) in operation["responses"]


def test_every_reference_of_the_document_leads_somewhere() -> None:
    """A document that does not resolve is no document."""
    text = json.dumps(document())

    assert set(re.findall(r"#/components/schemas/([\w-]+)", text)) <= document()["components"]["schemas"].keys()
    assert '"grant_hash":' not in text


def test_what_is_encoded_is_what_the_document_says() -> None:
    """The encoder and the schemas read the same marks: hidden members are in neither, shown ones in both."""
    head = Head(
        namespace=SHOP,
        execution_id=ORDER,
        incarnation=Incarnation(1),
        chain=Incarnation(1),
        single_writer=False,
        token=Token(0),
        status=Status.PARKED,
        last_seq=1,
        waits=(ChildWait(id="a", child=Child(key="k")), MessageWait(id="b", message=Message(name="m"))),
        workflow="w",
        code_version="0",
        root=Incarnation(1),
        created_at=0,
        status_at=0,
    )

    assert json.loads(encode(head)).keys() == components()["Head"]["properties"].keys()
