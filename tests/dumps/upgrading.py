"""One of two processes that open the same old file at the same moment."""

from __future__ import annotations

import multiprocessing
from contextlib import closing
from pathlib import Path
from threading import Barrier

from loom_servicekit.sqlite import open_file


def upgrade(path: Path, migrations: tuple[str, ...], gate: Barrier, faults: multiprocessing.Queue) -> None:
    """Open it with these migrations; what a caller would meet goes into `faults`."""
    gate.wait()
    try:
        with closing(open_file(path, migrations)):
            pass
    except BaseException as error:
        faults.put(repr(error))
