"""`make up` and `make down`: the stack outlives its command, keeps its replicas, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fixtures.stack_keeper import STATE, began, read_state
from fixtures.stack_keeper import up as up_in
from repo.tree import ROOT

PATIENCE_S = 60


def keeper(act: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The command of the verb."""
    environ = {**os.environ, "PYTHONPATH": str(ROOT / "tests")}
    words = [sys.executable, "-m", "fixtures.stack_keeper", act, str(folder)]
    return subprocess.run(words, env=environ, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Path]:
    """A folder whose stack runs."""
    folder = tmp_path / "stack"
    try:
        told = keeper("up", folder)
        assert told.returncode == 0, told.stderr
        yield folder
    finally:
        keeper("down", folder)


def state_of(folder: Path) -> dict[str, Any]:
    """What runs."""
    state = read_state(folder)
    assert state is not None
    return state


def until(holds: Callable[[], bool]) -> None:
    """Processes of others have no event to wait for."""
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def lives(pid: int) -> bool:
    """Is there a process of this id that is no zombie?"""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_replica_that_dies_comes_back_and_down_leaves_nothing(up: Path) -> None:
    """Issue 5: started once, stopped by process ids; a second `up` says that one runs."""
    before = state_of(up)["replicas"]["timers-2"]["pid"]
    os.kill(before, signal.SIGKILL)
    until(lambda: state_of(up)["replicas"]["timers-2"]["pid"] != before)
    state = state_of(up)
    again = keeper("up", up)

    done = keeper("down", up)

    assert again.returncode == 1
    assert done.stdout.strip() == "stopped"
    assert [pid for pid in (state["keeper"], *map(int, state["processes"])) if lives(pid)] == []


def test_up_ends_what_a_killed_keeper_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else its ids are forgotten with its folder, and its services try for ever. How `up` ends is no matter here."""
    left = subprocess.Popen(["sleep", "600"])
    state = {"keeper": 0, "began": "1", "processes": {str(left.pid): began(left.pid)}, "folders": []}
    (tmp_path / STATE).write_text(json.dumps(state))
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    try:
        assert up_in(tmp_path) == 1
        ended = left.wait(PATIENCE_S)
    finally:
        left.kill()
        left.wait()

    assert ended == -signal.SIGKILL


def test_down_ends_what_a_killed_keeper_left_behind_and_nobody_else(tmp_path: Path) -> None:
    """By the ids that it wrote down, each checked to be the same process still."""
    left, other = (subprocess.Popen(["sleep", "600"]) for _ in range(2))
    data = tmp_path / "data"
    data.mkdir()
    state = {
        "keeper": other.pid,
        "began": "1",
        "processes": {str(left.pid): began(left.pid), str(other.pid): "1"},
        "folders": [str(data)],
    }
    (tmp_path / STATE).write_text(json.dumps(state))
    try:
        done = keeper("down", tmp_path)
        ended, goes_on = left.wait(PATIENCE_S), other.poll() is None
    finally:
        for process in (left, other):
            process.kill()
            process.wait()

    assert done.stdout.strip() == f"stopped (killed {left.pid})"
    assert (ended, goes_on) == (-signal.SIGKILL, True)
    assert not data.exists()
