"""Two supervisors as processes, told by Kafka alone: one of them goes while there is work."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from bus.ground import ground, read_group, read_lag, running_bus
from bus.test_effects import READ, World, parent_of_one
from bus.waiting import LOOK_S, until
from fixtures.kafka import Kafka
from fixtures.ports import keepable_ports
from loom_event_store.app import build_service
from loom_event_store.settings import EventStoreSettings
from loom_servicekit.app import create_app, server
from loom_servicekit.bus.settings import KafkaSettings

GROUP = "loom-supervisor"
PARENTS = 60
SESSION_MS = 3_000
NEVER_MS = 3_600_000


@asynccontextmanager
async def served(world: World) -> AsyncIterator[str]:
    """The world's store by REST; its relay is the test's."""
    service = build_service(EventStoreSettings(), store=world.body, bus=world.bus)
    serving = server(create_app([replace(service, background=())]), host="127.0.0.1", port=0)
    task = asyncio.create_task(serving.serve())
    await until(lambda: asyncio.sleep(0, serving.started))
    try:
        yield f"http://127.0.0.1:{serving.servers[0].sockets[0].getsockname()[1]}"
    finally:
        serving.should_exit = True
        await task


@asynccontextmanager
async def supervisors(url: str, settings: KafkaSettings, folder: Path) -> AsyncIterator[list[Process]]:
    """Two, whose sweeps have nothing to find at their start and do not come again; both in their group."""
    processes = [await start_supervisor(url, settings, folder, port) for port in keepable_ports(2)]
    try:
        await until(lambda: is_shared(settings, len(processes)))
        yield processes
    finally:
        for process in processes:
            if process.returncode is None:
                process.kill()
            await process.wait()


async def start_supervisor(url: str, settings: KafkaSettings, folder: Path, port: int) -> Process:
    """`python -m loom_supervisor`, as an operator runs it."""
    environ = {
        **os.environ,
        "LOOM_PORT": str(port),
        "LOOM_EVENT_STORE_URL": url,
        "LOOM_SWEEP_MS": str(NEVER_MS),
        "LOOM_KAFKA_BOOTSTRAP": ",".join(settings.bootstrap),
        "LOOM_KAFKA_TOPIC_PREFIX": settings.topic_prefix,
        "LOOM_KAFKA_SESSION_MS": str(settings.session_ms),
    }
    with (folder / f"supervisor-{port}.log").open("wb") as log:
        return await asyncio.create_subprocess_exec(
            sys.executable, "-m", "loom_supervisor", env=environ, stdout=log, stderr=log
        )


async def is_shared(settings: KafkaSettings, members: int) -> bool:
    """The group has so many members, each with its share."""
    return await read_group(settings, GROUP) == ("Stable", members)


async def resumed(world: World, ids: list[str]) -> list[str]:
    """Those of them that somebody resumed."""
    return [id for id in ids if await world.status(id) == "runnable"]


async def publish_until_all_are_resumed(world: World, ids: list[str]) -> None:
    """The relay's part."""
    while len(await resumed(world, ids)) < len(ids):
        await world.relay.step()
        await asyncio.sleep(LOOK_S)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
async def test_a_supervisor_that_goes_leaves_no_parent_behind_and_none_is_resumed_twice(
    kafka: Kafka, tmp_path: Path, how: signal.Signals
) -> None:
    """I9, I38, kafka 7.1: what it had not acknowledged comes to the other one; no sweep helps here."""
    ids = [f"parent-{number}" for number in range(PARENTS)]
    async with ground(kafka, session_ms=SESSION_MS) as settings, running_bus(settings) as bus:
        world = World(settings, bus)
        children = [(await parent_of_one(world, id))[1] for id in ids]
        async with served(world) as url, supervisors(url, settings, tmp_path) as processes:
            for child in children:
                await world.finish_child(child)
            relaying = asyncio.create_task(publish_until_all_are_resumed(world, ids))
            await until(lambda: resumed(world, ids))

            processes[0].send_signal(how)
            status = await processes[0].wait()

            async with asyncio.timeout(60):
                await relaying
            await until(lambda: is_behind(settings))
            assert status == (0 if how is signal.SIGTERM else -signal.SIGKILL)
            assert {(await world.kinds(id)).count("RESUMED") for id in ids} == {1}


async def is_behind(settings: KafkaSettings) -> bool:
    """The group has every hint behind it."""
    return await read_lag(settings, GROUP, *READ[GROUP]) == 0
