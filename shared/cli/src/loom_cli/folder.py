"""The folder of `loom dev`, held by one process at a time."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class FolderHeld(Exception):
    """Another process holds the folder; the message says what it wrote about itself."""


@contextmanager
def hold_folder(data: Path, holder: str) -> Iterator[None]:
    """Make the folder if need be and hold it until the end of this process, however that comes.

    `holder` is what the next comer is told. Raises FolderHeld, and OSError where nothing can be written. The lock is
    the operating system's: SIGKILL leaves none behind.
    """
    data.mkdir(parents=True, exist_ok=True)
    with (data / "lock").open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise FolderHeld(file.read().strip() or "a process that is just starting") from None
        file.truncate(0)
        file.write(holder)
        file.flush()
        yield
