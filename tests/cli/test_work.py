import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.processes import LOOM, PATIENCE_S, environ, loom, loom_dev
from cli.shell import Shell

BLOCKED = """
import asyncio
import loom

@loom.workflow
async def blocked(ctx: loom.Context) -> None:
    await asyncio.sleep(1)

@loom.workflow
async def failing(ctx: loom.Context) -> None:
    raise ValueError("no luck")
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """A folder with workflows in it, and the address of the `loom dev` that serves it."""
    folder = tmp_path_factory.mktemp("work")
    loom("new", "hello", cwd=folder)
    (folder / "odd.py").write_text(BLOCKED)
    with loom_dev(folder) as (_, announced):
        yield folder, announced["url"]


def test_the_first_workflow_is_one_file_and_three_commands(served: tuple[Path, str]) -> None:
    """Issue 3: `loom dev`, `loom run hello.py`, `loom start hello Ada --wait`; the worker stops when it is told to."""
    folder, url = served
    with subprocess.Popen([*LOOM, "run", "hello.py"], cwd=folder, env=environ(LOOM_URL=url)) as worker:
        said = loom("start", "hello", "Ada", "--wait", cwd=folder, LOOM_URL=url)
        worker.send_signal(signal.SIGTERM)

        assert worker.wait(PATIENCE_S) == 0

    assert (said.returncode, said.stdout) == (0, '"Hello, Ada!"\n')
    assert "Traceback" not in said.stderr


def test_run_can_start_one_print_its_result_and_stop(served: tuple[Path, str]) -> None:
    """Field report 4.2: `loom new hello && loom run hello --start` ends with a finished workflow."""
    folder, url = served

    said = loom("run", "hello", "--start", "Bob", "--json", "--queue", "one", cwd=folder, LOOM_URL=url)

    assert said.returncode == 0
    assert json.loads(said.stdout)["outcome"] == "Hello, Bob!"


@pytest.mark.parametrize(("workflow", "exit", "told"), [("failing", 1, "no luck"), ("blocked", 5, "ctx.sleep")])
def test_run_ends_as_its_execution_stands(served: tuple[Path, str], workflow: str, exit: int, told: str) -> None:
    """Design 5: 1 failed, 5 blocked; design 6: what is not replay-safe blocks visibly and names the replacement."""
    folder, url = served

    said = loom("run", f"odd:{workflow}", "--start", "--queue", workflow, cwd=folder, LOOM_URL=url)

    assert (said.returncode, said.stdout) == (exit, "")
    assert told in said.stderr


async def test_run_of_nothing_is_usage(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No server is asked before there is something to work on."""
    monkeypatch.chdir(tmp_path)

    said = await shell("run", "nothing.py")

    assert (said.exit, shell.urls) == (2, [])
    assert "no-target: there is neither a file nothing.py" in said.err


def test_run_names_the_workflows_when_it_cannot_choose(served: tuple[Path, str]) -> None:
    """Which of two is started is not guessed."""
    folder, url = served

    said = loom("run", "odd.py", "--start", cwd=folder, LOOM_URL=url)

    assert said.returncode == 2
    assert "odd.py:blocked, odd.py:failing" in said.stderr


def test_run_without_a_server_is_unreachable(served: tuple[Path, str]) -> None:
    """Design 5: 7, at once, with the remedy; a worker that waits in silence looks like one that works."""
    folder, _ = served

    said = loom("run", "hello", "--url", "http://127.0.0.1:9", cwd=folder)

    assert said.returncode == 7
    assert "loom dev" in said.stderr
