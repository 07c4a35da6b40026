"""Real processes that are really killed and really frozen."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loom_cli.demo.audit import SIDE_FILE

SERVER = "server"


@dataclass(frozen=True, slots=True)
class Ground:
    """The folder and the address of one demo; `postgres`: the owner's URL of the database that keeps its state.

    `stack`: the file that says what runs of a whole stack, where somebody starts again what dies of it.
    """

    folder: Path
    port: int
    postgres: str | None = None
    stack: Path | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}" if self.stack is None else str(self.running()["urls"]["event-store"])

    def running(self) -> dict[str, Any]:
        """What runs of the stack now."""
        assert self.stack is not None
        found: dict[str, Any] = json.loads(self.stack.read_text())
        return found

    @property
    def side_file(self) -> Path:
        return self.folder / "paid.txt"

    @property
    def acknowledged(self) -> list[Path]:
        """One file per client."""
        return sorted(self.folder.glob("acknowledged-*.jsonl"))


def free_port() -> int:
    """A loopback port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Troupe:
    """The processes of a demo, by name. All end with it, whatever happens."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def start_server(self) -> None:
        """`loom dev` on the demo's folder and port, as a user starts it. A stack runs already."""
        if self._ground.stack is not None:
            return
        words = ["--data", str(self._ground.folder / "data"), "--port", str(self._ground.port)]
        if self._ground.postgres is not None:
            words += ["--postgres", self._ground.postgres]
        self._start(SERVER, ["-m", "loom_cli", "dev", *words])

    def start_worker(self, name: str) -> None:
        """A worker that calls itself `name` and records what is acknowledged to it."""
        self._start(name, ["-m", "loom_cli.demo.worker", name, self._ground.url, str(self._ground.folder)])

    def _start(self, name: str, arguments: list[str]) -> None:
        environ = {**os.environ, SIDE_FILE: str(self._ground.side_file)}
        with open(self._ground.folder / f"{name}.log", "ab") as log:
            self._running[name] = subprocess.Popen([sys.executable, *arguments], stdout=log, stderr=log, env=environ)

    def kill(self, name: str) -> None:
        """SIGKILL: nothing is told, nothing is flushed."""
        process = self._running.pop(name)
        process.kill()
        process.wait()

    def kill_server(self) -> str:
        """SIGKILL to `loom dev`, or to a replica of the event store; what was killed."""
        if self._ground.stack is None:
            self.kill(SERVER)
            return "loom dev"
        name, replica = next(
            (name, replica)
            for name, replica in self._ground.running()["replicas"].items()
            if replica["role"] == "event-store"
        )
        os.kill(replica["pid"], signal.SIGKILL)
        return str(name)

    def freeze(self, name: str) -> None:
        """SIGSTOP: the process believes that no time passes."""
        self._running[name].send_signal(signal.SIGSTOP)

    def wake(self, name: str) -> None:
        self._running[name].send_signal(signal.SIGCONT)

    def end(self) -> None:
        """Workers first, so that they can give back what they hold; the server last."""
        workers = [process for name, process in self._running.items() if name != SERVER]
        for process in workers:
            process.send_signal(signal.SIGCONT)
            process.terminate()
        for process in workers:
            _await_end(process)
        if SERVER in self._running:
            self._running[SERVER].terminate()
            _await_end(self._running[SERVER])
        self._running.clear()


def _await_end(process: subprocess.Popen[bytes]) -> None:
    """Who does not go within ten seconds is killed."""
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def troupe(ground: Ground) -> Iterator[Troupe]:
    """All processes of a demo, ended on the way out."""
    running = Troupe(ground)
    try:
        yield running
    finally:
        running.end()
