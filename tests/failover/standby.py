"""A primary and its asynchronous streaming standby: two real servers."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from signal import SIGINT, SIGQUIT
from urllib.parse import urlsplit

import asyncpg

from fixtures.postgres import (
    DURABLE,
    Postgres,
    folder_of_somebody,
    initialised_folder,
    locate,
    somebody,
    start_postgres,
    started_postgres,
    stop_postgres,
)

SETTINGS = {
    **DURABLE,
    "wal_level": "replica",
    "hot_standby": "on",
    "max_wal_senders": "4",
    "synchronous_standby_names": "",
}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two servers, the second following the first."""

    primary: Postgres
    standby: Postgres

    async def await_shipped(self) -> None:
        """Until the standby has replayed all that the primary has written."""
        written = await fetch(self.primary, "SELECT pg_current_wal_lsn()::text")
        while not await fetch(self.standby, f"SELECT pg_last_wal_replay_lsn() >= '{written}'::pg_lsn"):  # noqa: ASYNC110 - another process has no event
            await asyncio.sleep(0.02)

    async def part(self) -> None:
        """The standby hears no more of its primary, which goes on acknowledging: it is asynchronous."""
        await self.standby.execute("ALTER SYSTEM SET primary_conninfo = ''")
        await self.standby.execute("SELECT pg_reload_conf()")
        while await fetch(self.primary, "SELECT count(*) FROM pg_stat_replication"):  # noqa: ASYNC110 - another process has no event
            await asyncio.sleep(0.02)

    def kill_primary(self) -> None:
        """It dies without a word."""
        stop_postgres(self.primary, SIGQUIT)

    async def promote(self) -> None:
        """Returns when the standby takes writes."""
        assert await fetch(self.standby, "SELECT pg_promote(true, 30)")


async def fetch(server: Postgres, query: str) -> object:
    """The only column of the only row."""
    connection = await asyncpg.connect(server.url)
    try:
        return await connection.fetchval(query)
    finally:
        await connection.close()


def port_of(server: Postgres) -> int:
    """Where it listens."""
    port = urlsplit(server.url).port
    assert port is not None
    return port


@contextmanager
def streaming_pair() -> Iterator[Pair]:
    """Both stopped at the end, whatever became of them."""
    with (
        initialised_folder() as template,
        started_postgres(template, SETTINGS) as primary,
        folder_of_somebody() as folder,
    ):
        copy = ["-D", folder / "data", "-h", "127.0.0.1", "-p", str(port_of(primary)), "-U", "postgres"]
        subprocess.run([locate("pg_basebackup"), *copy, "-R", "-X", "stream", "-c", "fast"], check=True, **somebody())
        standby = start_postgres(folder, SETTINGS)
        try:
            yield Pair(primary, standby)
        finally:
            stop_postgres(standby, SIGINT)
