from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any, get_type_hints

import httpx
import pytest

from loom.client.event_store import HttpEventStore
from loom.client.http import HttpClient, error_of
from loom.errors import (
    ERRORS,
    Busy,
    Invalid,
    NotParked,
    ResumeContended,
    Stale,
    StoreUnavailable,
    TooLarge,
)
from loom.ids import Credential, ExecutionId, Incarnation, Namespace, Nonce, Token
from loom.kernel import calls as c
from loom.kernel.events import NewEvent
from loom.kernel.limits import Limits
from loom.kernel.raw_json import RawJson, encode
from loom.stores.event_store import EventStore
from loom.wire.codec import KEY_HEADER, body_of, decode_answer, headers_of, read_call, url_of
from loom.wire.paths import BY_CALL, PATHS, Path

SHOP, ORDER = Namespace("shop"), ExecutionId("ord-17")
CREDENTIAL = Credential(
    namespace=SHOP, execution_id=ORDER, incarnation=Incarnation(5), token=Token(7), nonce=Nonce("n" * 22)
)
APPEND = c.Append(
    namespace=SHOP,
    execution_id=ORDER,
    credential=CREDENTIAL,
    batch_id="key-1",
    events=(NewEvent(kind="NOTED", payload=RawJson('{"a" : 1e400}')),),
)
APPENDED = c.Appended(first_seq=2, last_seq=2, waiting=c.Waiting())


def problem(code: str, **members: Any) -> httpx.Response:
    """A problem as a service words it."""
    cls = ERRORS[code]
    return httpx.Response(cls.status, json={"code": code, "retryable": cls.retryable, "detail": "so it is", **members})


class Answers(httpx.AsyncBaseTransport):
    """Gives one answer after the other and remembers what it was asked."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[httpx.Request] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The next answer."""
        self.asked.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def done() -> httpx.Response:
    """The answer to APPEND."""
    return httpx.Response(201, content=encode(APPENDED).encode())


# --- the port ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.port)
def test_the_client_decides_every_call_of_the_port(path: Path) -> None:
    """Design 3: every body has every method, takes its call and gives its answer, as the path table says."""
    for body in (EventStore, HttpEventStore):
        hints = get_type_hints(getattr(body, path.port))
        assert hints == {"call": path.call, "return": path.answer}


def test_the_path_table_is_the_port() -> None:
    """Design 3: nothing in the port is missing in the table, and nothing stands in it twice."""
    ports = [name for name, _ in inspect.getmembers(EventStore, inspect.isfunction) if not name.startswith("_")]

    assert sorted(path.port for path in PATHS) == sorted(ports)
    assert len(BY_CALL) == len(PATHS) == len({(path.method, path.template) for path in PATHS})


async def test_a_call_travels_as_the_path_table_says() -> None:
    """C1: the client walks the table that the server mounts; carried text is spliced, the key is a header."""
    answers = Answers(done())

    assert await HttpEventStore("http://loom", transport=answers).append(APPEND) == APPENDED

    (request,) = answers.asked
    assert (request.method, request.url.path) == ("POST", "/v1/namespaces/shop/executions/ord-17/events")
    assert request.headers["Idempotency-Key"] == "key-1"
    assert b'"payload":{"a" : 1e400}' in request.content
    assert b"batch_id" not in request.content


@pytest.mark.parametrize(
    "call",
    [
        APPEND,
        c.Delete(namespace=SHOP, execution_id=ORDER, incarnation=Incarnation(5), credential=CREDENTIAL, archived=True),
        c.ListExecutions(namespace=SHOP, statuses=("pending", "parked"), id_prefix="a b&c=d", limit=5),
        c.ListExecutions(namespace=SHOP, statuses=()),
        c.SetPin(namespace=SHOP, execution_id=ORDER, incarnation="*", owner="ü/b c%2F?#", reason="kept"),
        c.RemovePin(namespace=SHOP, execution_id=ORDER, incarnation=Incarnation(2**63 - 1), owner="a/b"),
        c.ReadEvents(namespace=SHOP, execution_id=ORDER, incarnation=Incarnation(0)),
        c.TakeDuty(name="relay/1", owner="w", term=0, ttl_ms=10_000, ran=True),
        c.Release(namespace=SHOP, execution_id=ExecutionId("a~c1"), credential=CREDENTIAL, delay_ms=0),
        c.ReadInbox(namespace=SHOP, execution_id=ORDER, name="true", key="17"),
        c.ListDue(about="overdue", grace_ms=5000),
        c.ListNamespaces(),
    ],
    ids=lambda call: type(call).__name__,
)
def test_what_the_client_sends_is_what_the_server_reads(call: Any) -> None:
    """C1: one codec over one table, both ways."""
    path = BY_CALL[type(call)]
    address, _, query = url_of(path, call).partition("?")

    read = read_call(
        path,
        raw_path=address.encode(),
        query=query.encode(),
        key=headers_of(call).get(KEY_HEADER),
        body=body_of(path, call) or b"",
        limits=Limits(),
    )

    assert read == call


def test_an_answer_of_a_newer_store_is_understood() -> None:
    """Design 2: answers ignore what this version does not know, also inside the nouns of calls."""
    newer = b'{"execution":{"namespace":"a","execution_id":"b","incarnation":"1","new":1},"status":"running","x":[{}]}'

    assert decode_answer(c.CancelRequested, newer).execution.incarnation == 1


async def test_what_is_no_answer_is_unavailable() -> None:
    """Something else lives at that address: nothing is known, so nothing is refused."""
    store = HttpEventStore("http://loom", transport=Answers(httpx.Response(200, text="<html>")))

    with pytest.raises(StoreUnavailable, match="no event store"):
        await store.append(APPEND)


@pytest.mark.parametrize(
    "members",
    [
        {"batch_id": "schlüssel"},
        {"execution_id": "a\ud800"},
        {"events": (NewEvent(kind="A\ud800"),)},
        {"events": (NewEvent(kind="A", payload=RawJson('"\ud800"')),)},
    ],
    ids=["key", "id", "kind", "payload"],
)
async def test_what_http_cannot_carry_is_invalid_as_in_every_store(members: dict[str, Any]) -> None:
    """Design 5: Loom's own text has no lone surrogate; the client says so instead of failing."""
    answers = Answers()

    with pytest.raises(Invalid):
        await HttpEventStore("http://loom", transport=answers).append(replace(APPEND, **members))

    assert answers.asked == []


# --- problems ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", ERRORS)
def test_each_code_is_its_class(code: str) -> None:
    """Design 5: one table of codes, read by services and clients."""
    answer = problem(code, execution="ord-17", attempts=3)

    error = error_of(answer.status_code, answer.content)

    assert type(error) is ERRORS[code]
    assert (error.detail, error.facts) == ("so it is", {"execution": "ord-17", "attempts": 3})


def test_a_token_in_a_problem_is_a_number_again() -> None:
    """H40: 63-bit numbers travel as strings."""
    error = error_of(409, problem("stale", current_token="4294967303").content)

    assert isinstance(error, Stale)
    assert error.current_token == 4294967303


@pytest.mark.parametrize(
    ("status", "body", "cls"),
    [
        (500, b"", StoreUnavailable),
        (502, b"<html>", StoreUnavailable),
        (404, b"<html>", StoreUnavailable),
        (403, b"{}", StoreUnavailable),
        (429, b"[]", StoreUnavailable),
        (413, b"<html>", TooLarge),
        (500, b'{"code":"new"}', StoreUnavailable),
        (409, b'{"code":"new"}', Invalid),
        (409, b'{"code":"new","retryable":true}', StoreUnavailable),
    ],
)
def test_what_is_no_problem_of_ours_is_not_taken_for_a_refusal(status: int, body: bytes, cls: type) -> None:
    """A proxy's page says nothing about the execution: a worker that took it for `invalid` would fail what it runs."""
    assert type(error_of(status, body)) is cls


# --- repeats ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "failure",
    [
        lambda: httpx.ConnectError("refused"),
        lambda: httpx.ConnectTimeout("slow"),
        lambda: httpx.Response(502),
        lambda: httpx.Response(504),
        lambda: problem("busy"),
        lambda: problem("unavailable"),
    ],
    ids=["connect", "connect time-out", "502", "504", "busy", "unavailable"],
)
async def test_what_did_nothing_is_repeated_with_the_same_key(failure: Callable[[], Any]) -> None:
    """C4: a retry sends the same Idempotency-Key and the same bytes."""
    answers = Answers(failure(), failure(), done())

    assert await HttpEventStore("http://loom", transport=answers).append(APPEND) == APPENDED

    sent = {(request.headers["Idempotency-Key"], request.content) for request in answers.asked}
    assert (len(answers.asked), len(sent)) == (3, 1)


async def test_repeats_are_bounded() -> None:
    """STYLE: nothing is without a bound."""
    answers = Answers(*(problem("busy") for _ in range(9)))

    with pytest.raises(Busy):
        await HttpEventStore("http://loom", transport=answers).append(APPEND)

    assert len(answers.asked) == 4


@pytest.mark.parametrize(
    ("failure", "cls"),
    [
        (lambda: problem("not-parked"), NotParked),
        (lambda: problem("stale"), Stale),
        (lambda: problem("resume-contended"), ResumeContended),
        (lambda: httpx.ReadError("reset"), StoreUnavailable),
        (lambda: httpx.ReadTimeout("slow"), StoreUnavailable),
        (lambda: httpx.RemoteProtocolError("gone"), StoreUnavailable),
    ],
    ids=["refused", "superseded", "contended", "reset", "time-out", "hung up"],
)
async def test_what_is_final_or_unknown_is_not_repeated(failure: Callable[[], Any], cls: type[Exception]) -> None:
    """Design 3: an unknown outcome is answered by reading again, a contended resume by a re-drive: by the caller."""
    answers = Answers(failure(), done())

    with pytest.raises(cls):
        await HttpEventStore("http://loom", transport=answers).append(APPEND)

    assert len(answers.asked) == 1


async def test_a_held_poll_gets_the_time_it_asked_for() -> None:
    """A poll of 30 s is no time-out after 10."""
    answers = Answers(httpx.Response(200, text="{}"), httpx.Response(200, text="{}"))
    client = HttpClient("http://loom", transport=answers)

    await client.call("GET", "/", wait_ms=30_000)
    await client.call("GET", "/")

    assert [request.extensions["timeout"]["read"] for request in answers.asked] == [40.0, 10.0]
