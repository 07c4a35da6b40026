"""One of several processes that open the same files at the same moment."""

from __future__ import annotations

import asyncio
import multiprocessing
from pathlib import Path
from threading import Barrier

from loom_servicekit.sqlite import open_file

SCHEMA = """
CREATE TABLE IF NOT EXISTS notes (note INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS boots (boot INTEGER PRIMARY KEY);
"""


def boot(folder: Path, gates: list[Barrier], faults: multiprocessing.Queue) -> None:
    """In each round one file: open, write, close. What a caller would meet goes into `faults`."""
    for index, gate in enumerate(gates):
        gate.wait()
        try:
            file = open_file(folder / f"{index}.db", [SCHEMA])
            asyncio.run(file.write(lambda connection, now: connection.execute("INSERT INTO boots DEFAULT VALUES")))
            file.close()
        except BaseException as error:
            faults.put(f"round {index}: {error!r}")
