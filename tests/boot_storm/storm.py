"""One round: ten `loom migrate` and ten services on one database, all at once."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path

import asyncpg
import httpx

from boot_storm.processes import SERVICES, ports, start_migrate, start_service
from dumps.keeping import restore_postgres
from fixtures.postgres import Postgres
from loom_cli.migrate import SCHEMAS
from loom_servicekit.migrations import APPLICATION, LockNotTaken, migrations_of

MANY = 10
PATIENCE_S = 60.0
DOCUMENTED = {0, LockNotTaken.exit_code}
"""What a `loom migrate` may end with when others run it at once; the other codes say that something is wrong."""


@dataclass(frozen=True, slots=True)
class Round:
    """What a round came to. `rows`: of the record, by migration."""

    database: str
    exits: Counter[int]
    unready: tuple[str, ...]
    stopped: Counter[int]
    rows: Counter[str]
    seconds: float

    @property
    def holds(self) -> bool:
        known = {f"{schema.name}/{migration.number}" for schema in SCHEMAS for migration in migrations_of(schema)}
        return (
            set(self.exits) <= DOCUMENTED
            and self.exits[0] > 0
            and not self.unready
            and set(self.stopped) == {0}
            and self.rows == Counter(known)
        )


async def run(server: Postgres, dump: Path | None = None, *, locked: bool = True) -> Round:
    """On an empty database, or on what an earlier release left."""
    name = await (server.create_database() if dump is None else restore_postgres(server, dump))
    try:
        return await _storm(server, name, "empty" if dump is None else dump.stem, locked)
    finally:
        await server.drop_database(name)


async def _storm(server: Postgres, name: str, told: str, locked: bool) -> Round:
    began = time.monotonic()
    owner, application = server.database_url(name), server.database_url(name, APPLICATION)
    listening = ports(MANY)
    event_store_url = f"http://127.0.0.1:{listening[0]}"
    services, migrates = [], []
    for number in range(MANY):
        service = SERVICES[number % len(SERVICES)]
        services.append(start_service(service, application, event_store_url, listening[number]))
        migrates.append(start_migrate(owner, locked))
    try:
        exits = Counter(await _ended(migrates))
        waited = await asyncio.gather(*(_why_unready(port) for port in listening)) if locked else ()
        for process in services:
            process.terminate()
        stopped = Counter(await _ended(services))
    finally:
        for process in services + migrates:
            if process.is_alive():
                process.kill()
    return Round(told, exits, tuple(filter(None, waited)), stopped, await _recorded(owner), time.monotonic() - began)


async def _ended(processes: list[BaseProcess]) -> list[int]:
    """What they end with; one that does not end is killed, which no document allows."""
    await asyncio.gather(*(asyncio.to_thread(process.join, PATIENCE_S) for process in processes))
    for process in processes:
        if process.is_alive():
            process.kill()
            process.join()
    return [process.exitcode or 0 for process in processes]


async def _why_unready(port: int) -> str:
    """Why it is not ready after all that time; empty as soon as it is."""
    deadline, why = time.monotonic() + PATIENCE_S, ""
    async with httpx.AsyncClient() as client:
        while time.monotonic() < deadline:
            try:
                answer = await client.get(f"http://127.0.0.1:{port}/healthz/ready")
                if answer.status_code == 200:
                    return ""
                why = answer.text
            except httpx.HTTPError as error:
                why = repr(error)
            await asyncio.sleep(0.05)
    return why


async def _recorded(url: str) -> Counter[str]:
    connection = await asyncpg.connect(url)
    try:
        rows = await connection.fetch("SELECT schema || '/' || number AS name FROM loom.migrations")
        return Counter(row["name"] for row in rows)
    finally:
        await connection.close()
