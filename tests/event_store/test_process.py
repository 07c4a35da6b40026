from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from loom.client.event_store import HttpEventStore
from loom.errors import Contended
from loom.ids import ExecutionId, Namespace, Nonce
from loom.kernel import calls as c

SHOP, ORDER, LATER = Namespace("shop"), ExecutionId("ord-17"), ExecutionId("later")
ENDS_S = 20.0  # far below the 60 s that a poll is held


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@asynccontextmanager
async def process(data: Path, port: int, **environ: str) -> AsyncIterator[Process]:
    """`python -m loom_event_store`, ended at the latest with the test."""
    told = {**os.environ, "LOOM_DATA": str(data), "LOOM_PORT": str(port), **environ}
    running = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "loom_event_store", env=told, stdout=PIPE, stderr=PIPE
    )
    try:
        yield running
    finally:
        if running.returncode is None:
            running.kill()
        await running.communicate()


async def serving(store: HttpEventStore) -> None:
    """Wait until it answers."""
    async with asyncio.timeout(30):
        while True:
            try:
                await store.read_store(c.ReadStore())
            except Contended:
                await asyncio.sleep(0.05)
            else:
                return


async def polled(store: HttpEventStore, execution_id: ExecutionId, *, workers: int) -> None:
    """Wait until the polls of so many workers have been looked at: `why` counts them."""
    async with asyncio.timeout(30):
        while True:
            why = await store.read_why(c.ReadWhy(namespace=SHOP, execution_id=execution_id))
            if any(f"{workers} workers poll" in reason.text for reason in why.reasons):
                return


def poll(nonce: str = "n" * 22) -> c.ClaimRunnable:
    """A worker's poll, to be held for a minute."""
    return c.ClaimRunnable(
        namespace=SHOP,
        queue="q",
        workflows=("w@0",),
        max=1,
        nonce=Nonce(nonce),
        owner="worker",
        wait_ms=60_000,
    )


def start(execution_id: ExecutionId = ORDER) -> c.Start:
    """An execution on the queue."""
    return c.Start(namespace=SHOP, execution_id=execution_id, batch_id="s", workflow="w", queue="q")


async def test_it_ends_held_polls_at_once_and_keeps_what_it_acknowledged(tmp_path: Path) -> None:
    """Design 4: on SIGTERM long-polls end, what was accepted is finished, then it exits. J: acknowledged is durable."""
    port = free_port()
    async with HttpEventStore(f"http://127.0.0.1:{port}") as store:
        async with process(tmp_path / "data", port) as running:
            await serving(store)
            started = await store.start(start())
            claimed = await store.claim_runnable(poll())
            await store.start(replace(start(LATER), delay_ms=3_600_000))
            held = asyncio.create_task(store.claim_runnable(replace(poll("m" * 22), owner="held")))
            await polled(store, LATER, workers=2)

            running.send_signal(signal.SIGTERM)

            assert (await asyncio.wait_for(held, ENDS_S)).items == ()
            assert await asyncio.wait_for(running.wait(), ENDS_S) == 0

        async with process(tmp_path / "data", port):
            await serving(store)
            head = await store.read_head(c.ReadHead(namespace=SHOP, execution_id=ORDER))

    assert head.incarnation == started.execution.incarnation
    assert (head.owner, head.token) == ("worker", claimed.items[0].credential.token)


async def test_what_is_started_reaches_a_poll_that_is_held(tmp_path: Path) -> None:
    """Claims level-triggered, hints through relay and bus; a caller that hung up is given nothing."""
    port = free_port()
    async with process(tmp_path, port), HttpEventStore(f"http://127.0.0.1:{port}") as store:
        await serving(store)
        async with HttpEventStore(f"http://127.0.0.1:{port}") as leaver:
            left = asyncio.create_task(leaver.claim_runnable(poll("l" * 22)))
            stays = asyncio.create_task(store.claim_runnable(poll()))
            await store.read_store(c.ReadStore())
            left.cancel()
            await asyncio.wait({left})

        await store.start(start())

        (claimed,) = (await asyncio.wait_for(stays, ENDS_S)).items
        assert claimed.credential.nonce == "n" * 22


async def test_it_refuses_to_be_reached_by_others(tmp_path: Path) -> None:
    """Until access control comes: no address but loopback without LOOM_DEV=1, told in one line, exit status 2."""
    async with process(tmp_path, free_port(), LOOM_HOST="0.0.0.0") as running:
        _, told = await asyncio.wait_for(running.communicate(), 30)

    assert running.returncode == 2
    assert "LOOM_DEV=1" in told.decode()
    assert "Traceback" not in told.decode()
