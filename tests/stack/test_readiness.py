"""Ready or not, as the processes themselves say it: what each leans on, and what it does not."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fixtures.event_stores import migrated_database
from fixtures.ports import keepable_ports
from fixtures.postgres import Postgres
from fixtures.replicas import Replica
from loom.client.event_store import HttpEventStore
from loom.ids import ExecutionId, Namespace
from loom.kernel import calls as c
from loom_cli.migrate import SCHEMAS
from loom_servicekit.migrations import APPLICATION, migrate

(NOBODY,) = keepable_ports(1)
PATIENCE_S = 60


@contextmanager
def running(role: str, folder: Path, **settings: str) -> Iterator[Replica]:
    """One service, told these settings, killed at the end."""
    (port,) = keepable_ports(1)
    environ = {"LOOM_PORT": str(port), "LOOM_DATA": str(folder), **settings}
    replica = Replica(f"{role}-1", role, port, folder / f"{role}.log", environ)
    replica.start()
    try:
        yield replica
    finally:
        replica.kill()


async def said(replica: Replica, path: str, status: int, words: str = "") -> str:
    """What it answers, once it answers so."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            found, body = await asyncio.to_thread(replica.ask, path)
            if found == status and words in body:
                return body
            assert replica.runs, replica.read_log()
            await asyncio.sleep(0.05)


async def test_an_event_store_is_ready_and_works_without_a_broker(postgres: Postgres, tmp_path: Path) -> None:
    """Kafka 3.4: the outbox exists so that the API works without Kafka."""
    async with migrated_database(postgres) as database:
        kafka = {"LOOM_KAFKA_BOOTSTRAP": f"127.0.0.1:{NOBODY}"}
        with running("event-store", tmp_path, LOOM_DB_URL=database.application, **kafka) as replica:
            await said(replica, "/healthz/ready", 200)
            async with HttpEventStore(replica.url) as store:
                call = c.Start(
                    namespace=Namespace("n"), execution_id=ExecutionId("e"), batch_id="s", workflow="w", queue="q"
                )
                assert (await store.start(call)).created


async def test_an_event_store_whose_schema_is_too_old_is_alive_and_unready_until_it_is_migrated(
    postgres: Postgres, tmp_path: Path
) -> None:
    """Operations 1.4: a newer binary waits, unready; it neither crashes nor needs a restart."""
    name = await postgres.create_database()
    await migrate(postgres.database_url(name), SCHEMAS[1:])  # the role is there, the event store's schema is not
    try:
        with running("event-store", tmp_path, LOOM_DB_URL=postgres.database_url(name, APPLICATION)) as replica:
            told = await said(replica, "/healthz/ready", 503, "loom migrate")
            alive, _ = await asyncio.to_thread(replica.ask, "/healthz/live")
            await migrate(postgres.database_url(name), SCHEMAS)
            await said(replica, "/healthz/ready", 200)
    finally:
        await postgres.drop_database(name)

    assert "event_store is at 0 of" in told
    assert alive == 200


@pytest.mark.parametrize("role", ["supervisor", "timers", "retention"])
async def test_a_service_is_unready_while_its_event_store_cannot_be_reached(role: str, tmp_path: Path) -> None:
    """Kafka 3.4: a consumer is ready while its store is reachable; it comes back by itself."""
    (port,) = keepable_ports(1)
    leans_on = {"LOOM_EVENT_STORE_URL": f"http://127.0.0.1:{port}"}
    with running(role, tmp_path, **leans_on) as replica:
        await said(replica, "/healthz/ready", 503, "event store cannot be asked")
        assert (await asyncio.to_thread(replica.ask, "/healthz/live"))[0] == 200

        with running("event-store", tmp_path, LOOM_PORT=str(port)):
            await said(replica, "/healthz/ready", 200)
        await said(replica, "/healthz/ready", 503, "event store cannot be asked")


async def test_a_consumer_is_unready_without_its_broker(tmp_path: Path) -> None:
    """Kafka 3.4: its client has not started. It is alive, and its sweeps go on."""
    with running("event-store", tmp_path) as event_store:
        await said(event_store, "/healthz/ready", 200)
        settings = {"LOOM_EVENT_STORE_URL": event_store.url, "LOOM_KAFKA_BOOTSTRAP": f"127.0.0.1:{NOBODY}"}
        with running("supervisor", tmp_path, **settings) as replica:
            await said(replica, "/healthz/ready", 503, "loom-supervisor")
            assert (await asyncio.to_thread(replica.ask, "/healthz/live"))[0] == 200
