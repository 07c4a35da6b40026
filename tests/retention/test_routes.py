from collections.abc import AsyncIterator

import httpx
import pytest

from loom.clock import ManualClock
from loom.stores.memory import MemoryEventStore
from loom_retention.app import build_service
from loom_retention.catalogue import Catalogue
from loom_retention.policy import DAY_MS, Keep
from loom_retention.settings import RetentionSettings
from loom_servicekit.app import create_app
from loom_servicekit.duties import Duty
from retention.executions import end_execution, read_head

JSON = {"Content-Type": "application/json"}


@pytest.fixture
async def client(store: MemoryEventStore, catalogue: Catalogue) -> AsyncIterator[httpx.AsyncClient]:
    """The service as it is wired, its rounds not running."""
    service = build_service(RetentionSettings(), store=store, catalogue=catalogue, owner="one")
    transport = httpx.ASGITransport(create_app([service]))
    async with httpx.AsyncClient(transport=transport, base_url="http://retention") as client:
        yield client


async def test_a_sweep_on_request_is_dry_unless_told_otherwise(
    client: httpx.AsyncClient, store: MemoryEventStore, clock: ManualClock
) -> None:
    """Design 4: a dry run lists what would go and why; the store's clock says how old it is."""
    execution = await end_execution(store, "a")
    clock.advance(31 * DAY_MS)

    dry = (await client.post("/v1/sweeps", json={})).json()
    assert dry["counts"] == {"would-go": 1}
    assert (await read_head(store, execution)).status == "completed"
    wet = (await client.post("/v1/sweeps", json={"dry_run": False})).json()

    assert wet["counts"] == {"deleted": 1}
    assert wet["items"][0]["execution"]["incarnation"] == str(int(execution.incarnation))
    listed = (await client.get("/v1/sweeps", params={"limit": 10})).json()["items"]
    assert {report["dry_run"] for report in listed} == {True, False}


async def test_a_replica_without_the_duty_does_not_sweep(client: httpx.AsyncClient, store: MemoryEventStore) -> None:
    """Design 4: one replica sweeps; another says so, and when to come back."""
    await Duty(store, "retention.sweep", "two", ttl_ms=60_000).hold()

    answer = await client.post("/v1/sweeps", json={"dry_run": False})

    assert (answer.status_code, answer.json()["code"], answer.json()["retryable"]) == (409, "lease-held", True)


async def test_a_policy_is_set_read_and_removed(client: httpx.AsyncClient) -> None:
    """Design 4: retention owns policies."""
    keep = {"completed": 5, "failed": None, "cancelled": 0, "continued": 7}

    table = (await client.put("/v1/policies/shop", json={"keep": keep})).json()
    assert table["namespaces"] == {"shop": keep}
    assert table == (await client.get("/v1/policies")).json()
    assert table["default"]["completed"] == Keep().completed
    assert (await client.delete("/v1/policies/shop")).json()["namespaces"] == {}


@pytest.mark.parametrize(
    ("method", "url", "body"),
    [
        ("PUT", "/v1/policies/shop", b'{"keep": {"completed": -1}}'),
        ("PUT", "/v1/policies/shop", b'{"keep": {"completed": 1.5}}'),
        ("PUT", "/v1/policies/shop", b'{"keep": {"completed": "1"}}'),
        ("PUT", "/v1/policies/shop", b'{"keep": {"compleated": 1}}'),
        ("PUT", "/v1/policies/shop", b'{"keep": {}, "keep": {}}'),
        ("PUT", "/v1/policies/sh%2Fop", b'{"keep": {}}'),
        ("PUT", "/v1/policies/shop", b""),
        ("POST", "/v1/sweeps", b'{"dry_run": "no"}'),
        ("POST", "/v1/sweeps", b'{"dryrun": false}'),
        ("GET", "/v1/sweeps?limit=0", b""),
        ("GET", "/v1/sweeps?limit=x", b""),
    ],
)
async def test_bad_input_is_a_problem_and_changes_nothing(
    client: httpx.AsyncClient, method: str, url: str, body: bytes
) -> None:
    """Design 5: above all, a mistyped dry run is no sweep."""
    before = (await client.get("/v1/policies")).json()

    answer = await client.request(method, url, content=body, headers=JSON)

    assert answer.status_code in (400, 404)
    assert answer.headers["content-type"] == "application/problem+json"
    assert (await client.get("/v1/policies")).json() == before
    assert (await client.get("/v1/sweeps")).json()["items"] == []


async def test_no_page_of_another_site_can_order_a_sweep(client: httpx.AsyncClient) -> None:
    """A browser sends a form or plain text to loopback without asking; a sweep that is not dry deletes."""
    ordered = b'{"dry_run": false}'

    refused = await client.post("/v1/sweeps", content=ordered, headers={"Content-Type": "text/plain"})

    assert (refused.status_code, refused.json()["code"]) == (400, "invalid")
    assert (await client.get("/v1/sweeps")).json()["items"] == []
    assert (await client.post("/v1/sweeps", content=ordered, headers=JSON)).status_code == 200
