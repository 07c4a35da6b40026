"""The command as a user runs it: processes of their own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

LOOM = [sys.executable, "-m", "loom_cli"]
PATIENCE_S = 60


def environ(**variables: str) -> dict[str, str]:
    """This environment without Loom's variables, and these."""
    return {name: value for name, value in os.environ.items() if not name.startswith("LOOM_")} | variables


def loom(*words: str, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        [*LOOM, *words], cwd=cwd, env=environ(**variables), capture_output=True, text=True, timeout=PATIENCE_S
    )


@contextmanager
def loom_dev(cwd: Path, *words: str, **variables: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    """`loom dev` on a free port, once it has announced itself; the process, and what it announced."""
    with subprocess.Popen(
        [*LOOM, "dev", "--json", *(words or ("--port", "0"))],
        cwd=cwd,
        env=environ(**variables),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            yield process, json.loads(process.stdout.readline())
        finally:
            process.send_signal(signal.SIGKILL)
