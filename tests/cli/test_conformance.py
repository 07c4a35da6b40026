import asyncio
from collections.abc import Callable
from typing import Any

import pytest

import loom_conformance
from cli.shell import Shell
from loom.kernel.calls import TakeDuty
from loom.stores.event_store import PORT_VERSION
from loom_cli import conformance
from loom_conformance import Case, NotReachable
from loom_conformance.door import INPUTS, Row
from loom_conformance.scene import Scene


async def holds(scene: Scene) -> None:
    """A promise that is kept."""


async def breaks(scene: Scene) -> None:
    """A promise that is not."""
    raise AssertionError("two owners at once")


async def lacks_a_hook(scene: Scene) -> None:
    """A promise that cannot be tried over a URL."""
    raise NotReachable("no test hook")


async def hangs(scene: Scene) -> None:
    """A promise that nobody sees kept."""
    await asyncio.Event().wait()


@pytest.fixture
def cases(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Put these in the place of the contract."""

    def put(*runs: Any) -> None:
        found = tuple(Case(f"suite/{run.__name__}", str(run.__doc__), run) for run in runs)
        monkeypatch.setattr(loom_conformance, "list_cases", lambda suite: found)

    return put


async def test_a_suite_of_the_contract_runs_against_what_answers(shell: Shell) -> None:
    """Issue 3: the kit over the port, as `loom conformance --url`; the port's version is printed."""
    said = await shell("conformance", "--suite", "append")

    assert said.exit == 0, said.out
    count = len(loom_conformance.list_cases("append"))
    counted = f"{count - 1}/{count}, 1 not reachable, port version {PORT_VERSION}"
    assert said.out.splitlines()[-1] == f"http://127.0.0.1:7300 {counted}"
    assert f"{count}/{count} append/" in said.err


async def test_what_a_url_cannot_reach_is_named_and_counted_apart(shell: Shell, cases: Callable[..., None]) -> None:
    """Issue 3: `N-k/N, k not reachable`, by name; nothing failed, so it ends with 0."""
    cases(holds, lacks_a_hook)

    said = await shell("conformance")

    assert said.exit == 0
    assert "suite/lacks_a_hook  not reachable  no test hook" in said.out
    assert said.out.splitlines()[-1] == f"http://127.0.0.1:7300 1/2, 1 not reachable, port version {PORT_VERSION}"


async def test_a_promise_that_does_not_hold_fails_the_command(shell: Shell, cases: Callable[..., None]) -> None:
    """Issue 3: a survivor, a differing row, a broken case: 1."""
    cases(holds, breaks)

    said = await shell("conformance")
    document = (await shell("conformance", "--json")).document

    assert said.exit == 1
    assert "suite/breaks  failed   AssertionError: two owners at once" in said.out
    assert (document["passed"], document["cases"]) == (1, 2)
    assert [case["id"] for case in document["failed"]] == ["suite/breaks"]


async def test_a_case_that_does_not_end_fails(
    shell: Shell, cases: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that never answers must not be taken for one that passes, nor for a slow one."""
    monkeypatch.setattr(conformance, "CASE_S", 0)
    cases(hangs)

    said = await shell("conformance")

    assert said.exit == 1
    assert "did not end" in said.out


async def test_where_others_answer_parks_nothing_is_proved(shell: Shell, cases: Callable[..., None]) -> None:
    """A park that timers or the supervisor may answer first says nothing about the store; the remedy is a command."""
    cases(holds)
    await shell.store.take_duty(TakeDuty(name="timers.overdue", owner="timers-1", term=0, ttl_ms=15_000))

    said = await shell("conformance")

    assert (said.exit, said.out) == (2, "")
    assert "not-alone: timers" in said.err
    assert "loom dev --only event-store" in said.err


async def test_a_suite_that_is_none_is_usage(shell: Shell) -> None:
    """The suites there are, the door among them, are named."""
    said = await shell("conformance", "--suite", "window")

    assert (said.exit, said.out) == (2, "")
    assert "append, repeats" in said.err
    assert "door" in said.err


@pytest.mark.parametrize(("got", "exit"), [((400, "invalid"), 0), ((500, "no problem"), 1)])
async def test_the_door_prints_a_row_for_each_input(
    shell: Shell, got: tuple[int, str], exit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 3: `input · expected status and code · got · last_seq before = after`; one differing row exits 1."""
    rows = (Row(INPUTS[0], (400, "invalid"), (400, "invalid"), 1, 1), Row(INPUTS[1], (400, "invalid"), got, 1, 1))

    async def run_door(url: str, tell: Callable[[Row], None]) -> tuple[Row, ...]:
        for row in rows:
            tell(row)
        return rows

    monkeypatch.setattr("loom_conformance.door.run_door", run_door)

    said = await shell("conformance", "--suite", "door")
    document = (await shell("conformance", "--suite", "door", "--json")).document

    assert said.exit == exit
    assert said.out.splitlines() == [*map(str, rows), f"door {2 - exit}/2"]
    assert document["passed"] == 2 - exit
