"""`make dumps`: write the dumps of today's schemas, for whoever upgrades from them later."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from dumps.keeping import FILES, POSTGRES, SQLITE, dump_postgres, dump_sqlite, release, version_of
from fixtures.postgres import running_postgres


async def main() -> None:
    """One for Postgres, one for each file."""
    with running_postgres() as server:
        write(POSTGRES / f"{release()}.sql", await dump_postgres(server))
    with tempfile.TemporaryDirectory() as folder:
        for file in FILES:
            write(SQLITE / f"{file}.{version_of(file)}.sql", await dump_sqlite(file, Path(folder)))


def write(path: Path, text: str) -> None:
    """And say so."""
    path.write_text(text, "utf-8")
    print(f"{path.name}: {len(text)} characters")


if __name__ == "__main__":
    asyncio.run(main())
