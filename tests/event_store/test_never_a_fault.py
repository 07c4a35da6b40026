from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path as File
from random import Random
from typing import Any
from urllib.parse import quote, urlencode

import httpx
import pytest

from fixtures.event_stores import migrated_database
from loom.stores.event_store import EventStore
from loom.stores.memory import MemoryEventStore
from loom.wire.members import NAMES, members_of
from loom.wire.paths import PATHS, Path
from loom_event_store.app import build_service
from loom_event_store.postgres.store import PostgresEventStore
from loom_event_store.settings import EventStoreSettings
from loom_event_store.sqlite.store import SqliteEventStore
from loom_servicekit.app import create_app
from loom_servicekit.bus.in_process import InProcessBus

ROUNDS = 1_500
CREDENTIAL = {"namespace": "a", "execution_id": "e", "incarnation": "1", "token": "1", "nonce": "n" * 22}
TIMER = {"id": "w", "timer": {"delay_ms": 5}}
ODD: list[Any] = [
    *(None, True, False, 0, -1, 1, 2**62, 2**63 - 1, 2**63, 10**30, 1.5, [], {}, [[]], [{}], {"a": 1}),
    *("", "a", "*", "1", "0", "-1", "é", "a" * 300, "\0", "\ud800", "pending", "now", ["a"], [1]),
    *(TIMER, [TIMER], [{"kind": "A"}], [{"kind": "CHILD_OUTCOME", "child_key": "k"}], CREDENTIAL),
]
USUAL: dict[str, Any] = {
    "incarnation": "*",
    "chain": "*",
    "execution_id": "e",
    "workflow": "w",
    "workflows": ["w@0"],
    "queue": "q",
    "nonce": "n" * 22,
    "owner": "o",
    "ttl_ms": 1000,
    "token": "0",
    "max": 3,
    "limit": 5,
    "wait_ms": 0,
    "events": [{"kind": "A"}],
    "waits": [TIMER],
    "park_seq": 2,
    "message_id": "m",
    "name": "n",
    "child_key": "k",
    "seq": 1,
}


def draw(rng: Random, path: Path) -> dict[str, Any]:
    """Members of a call: mostly as they should be, or mostly odd."""
    odd, as_usual = rng.choice([(0.05, 1.0), (0.2, 0.9), (0.8, 0.5)])
    names = [name for name in members_of(path.call) if name not in path.in_path and name != "batch_id"]
    drawn = {name: rng.choice(ODD) for name in names if rng.random() < odd}
    usual = {name: USUAL[name] for name in names if name in USUAL and rng.random() < as_usual}
    stray = {rng.choice(sorted(NAMES)): rng.choice(ODD)} if rng.random() < 0.05 else {}
    return {**drawn, **usual, **stray, **({"wait_ms": 0} if "wait_ms" in drawn else {})}


def request_of(rng: Random, path: Path, client: httpx.AsyncClient) -> httpx.Request:
    """A request as anybody might send it."""
    place = {"namespace": "a", "execution_id": rng.choice(["e", "e", "f", "\0", "é~", ".."]), "owner": "o", "name": "d"}
    place["instance"] = place["execution_id"]
    url = path.template.format(**{name: quote(value, safe="") for name, value in place.items()})
    members = draw(rng, path)
    if path.has_body:
        headers = {"Content-Type": "application/json", "Idempotency-Key": str(rng.randrange(50))}
        return client.build_request(path.method, url, content=json.dumps(members), headers=headers)
    texts = {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in members.items()
        if value is not None
    }
    query = urlencode({name: text.encode("utf-8", "surrogatepass") for name, text in texts.items()})
    return client.build_request(path.method, f"{url}?{query}")


@asynccontextmanager
async def opened(body: str, folder: File, rng: Random, request: pytest.FixtureRequest) -> AsyncIterator[EventStore]:
    """A store of this kind, new and closed at the end."""
    match body:
        case "memory":
            yield MemoryEventStore(rng=rng)
        case "sqlite":
            file = SqliteEventStore.open(folder / "x.db", rng=rng)
            yield file
            file.close()
        case _:
            async with migrated_database(request.getfixturevalue("postgres")) as database:
                store = await PostgresEventStore.open(database.application, rng=rng, size=2)
                yield store
                await store.close()


@pytest.mark.parametrize("body", ["memory", "sqlite", "postgres"])
async def test_no_request_is_a_fault_of_ours(body: str, tmp_path: File, request: pytest.FixtureRequest) -> None:
    """Design 5: never 500, whatever is sent; every no is a complete problem of the one table."""
    rng = Random(5)
    async with opened(body, tmp_path, rng, request) as store:
        answers = await answers_of(store, rng)

    assert {200, 201, 400, 404, 409} <= answers.keys(), "too tame to mean anything"


async def answers_of(store: EventStore, rng: Random) -> dict[int, int]:
    """How often each status was answered over all rounds."""
    app = create_app([build_service(EventStoreSettings(), store=store, bus=InProcessBus())])
    answers: dict[int, int] = {}

    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(base_url="http://loom", transport=transport) as client:
        for _ in range(ROUNDS):
            path = rng.choice(PATHS)
            answer = await client.send(request_of(rng, path, client))
            answers[answer.status_code] = answers.get(answer.status_code, 0) + 1
            assert answer.status_code < 500, (path.port, answer.text)
            assert answer.is_success or {"code", "detail", "retryable"} <= answer.json().keys()
    return answers
