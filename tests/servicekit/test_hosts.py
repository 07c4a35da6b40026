"""What a page of another site may do with a service on loopback: nothing."""

from __future__ import annotations

import socket
import threading

import httpx
import pytest
from fastapi import APIRouter
from starlette.requests import Request

from loom_servicekit.app import Service, create_app, server
from loom_servicekit.bodies import read_json
from loom_servicekit.hosts import LoopbackHosts

OURS = ("localhost", "localhost:7300", "127.0.0.1:7300", "127.9.9.9", "[::1]:7300", "LOCALHOST:7300")
OTHERS = ("evil.example", "evil.example:7300", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.7:7300")


async def ask(host: str) -> httpx.Response:
    """Liveness, asked of loopback under that name."""
    transport = httpx.ASGITransport(LoopbackHosts(create_app([])))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        return await client.get("/healthz/live", headers={"Host": host})


@pytest.mark.parametrize("host", OURS)
async def test_a_name_of_loopback_is_answered(host: str) -> None:
    """The control: not everything is refused."""
    assert (await ask(host)).status_code == 200


@pytest.mark.parametrize("host", [*OTHERS, "", "[::1"])
async def test_another_name_is_refused_and_told_which_to_use(host: str) -> None:
    """A rebound name counts as of one origin with the service: neither reads nor writes are answered under it."""
    answer = await ask(host)

    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
    assert "use that in the URL" in answer.json()["detail"]


@pytest.mark.parametrize(("host", "status"), [("127.0.0.1", 403), ("0.0.0.0", 200)])
def test_a_server_on_loopback_refuses_other_names_and_one_in_the_open_does_not(host: str, status: int) -> None:
    """Wired where the address is known; in the open (LOOM_DEV=1) names are the deployment's."""
    with socket.create_server((host, 0)) as free:
        port = free.getsockname()[1]
    serving = server(create_app([]), host=host, port=port)
    thread = threading.Thread(target=serving.run, daemon=True)
    thread.start()
    try:
        while not serving.started:
            assert thread.is_alive()
            thread.join(0.01)
        answer = httpx.get(f"http://127.0.0.1:{port}/healthz/live", headers={"Host": "evil.example"})
    finally:
        serving.should_exit = True
        thread.join()

    assert answer.status_code == status


@pytest.mark.parametrize(
    ("media_type", "status"),
    [("application/json", 200), ("application/json; charset=utf-8", 200), ("text/plain", 400), ("", 400)],
)
async def test_a_body_that_does_not_say_it_is_json_is_refused(media_type: str, status: int) -> None:
    """Without asking first, a page of another origin can send text and forms only."""
    routes = APIRouter()

    @routes.post("/written")
    async def written(request: Request) -> int:
        return len(await read_json(request))

    transport = httpx.ASGITransport(create_app([Service(name="a", routers=(routes,))]))
    async with httpx.AsyncClient(transport=transport, base_url="http://loom") as client:
        answer = await client.post("/written", content=b"{}", headers={"Content-Type": media_type})

    assert answer.status_code == status
