"""Two calls on two sessions of the real server, in every order of their steps. `make schedules` has all pairs."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from itertools import combinations_with_replacement
from pathlib import Path

import pytest
import pytest_asyncio

from event_store.schedules import run_all, scenes
from event_store.schedules.marks import FUNCTIONS, instrumented
from event_store.schedules.mutants import MUTANTS, Mutant
from event_store.schedules.offers import calls_of_port, offered
from event_store.schedules.oracle import Meeting, Move, meetings_of
from event_store.schedules.plays import Server, explore, serving
from event_store.schedules.run_all import READS, report_pair
from fixtures.postgres import Postgres, folder_of_somebody

MOST = 30
"""Schedules of a meeting here, those with the fewest switches first."""
HERE = (
    "append",
    "append_batch",
    "park",
    "resume",
    "acquire_if_parked",
    "claim",
    "send",
    "cancel",
    "terminate",
    "start",
)
PAIRS = tuple(combinations_with_replacement([call.name for call in calls_of_port() if call.name in HERE], 2))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def playing(postgres: Postgres) -> AsyncIterator[Server]:
    """A database with instrumented functions, and two sessions on it."""
    async with serving(postgres) as server:
        yield server


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("pair", PAIRS, ids=" x ".join)
async def test_two_calls_come_to_what_one_of_their_orders_comes_to(playing: Server, pair: tuple[str, str]) -> None:
    """I9, I10, I16, I19, I41, p01 to p26: whatever the interleaving; the invariants hold, and nobody deadlocks."""
    report = await report_pair(playing, pair, most=MOST, meetings=1)

    assert report.violations == []


@pytest.mark.parametrize("mutant", [mutant for mutant in MUTANTS if mutant.exists], ids=lambda mutant: mutant.name)
async def test_a_store_broken_on_purpose_is_noticed(postgres: Postgres, mutant: Mutant) -> None:
    """Negative control of the rule above, hazards 5.5: each of these shows in some schedule."""
    assert await mutant.violation(postgres) is not None


def test_a_run_that_is_killed_leaves_no_process_and_no_folder_behind() -> None:
    """SIGKILL runs no `finally`: its workers notice that their parent is gone, a keeper ends its server."""
    with folder_of_somebody() as folder:
        environ = {**os.environ, "TMPDIR": str(folder), "LOOM_TEST_POSTGRES_URL": ""}
        run = subprocess.Popen([sys.executable, run_all.__file__], env=environ, stdout=subprocess.DEVNULL)
        try:
            _await(lambda: _commands_in(folder) >= {"python", "postgres", "sh"} and list(folder.glob("*/data/*.pid")))
        finally:
            run.kill()
            run.wait()

        _await(lambda: not _commands_in(folder) and not any(folder.iterdir()))


def _commands_in(folder: Path) -> set[str]:
    """The programs that run with this folder as their TMPDIR."""
    found = set()
    for environ in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if f"TMPDIR={folder}".encode() in environ.read_bytes().split(b"\0"):
                found.add(environ.with_name("comm").read_text().strip())
    return found


def _await(is_so: Callable[[], object], within_s: float = 60) -> None:
    deadline = time.monotonic() + within_s
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_every_call_of_the_port_is_offered_somewhere() -> None:
    """H33: a call that nobody offers would be in no schedule, and its pairs would be counted all the same."""
    made = [scenes.made(setting, "loom_0000000") for setting in scenes.SCENES]

    assert [call.name for call in calls_of_port() if not any(offered(scene, call.name) for scene in made)] == []


@pytest.mark.parametrize("pair", PAIRS, ids=" x ".join)
def test_two_calls_meet_at_one_execution(pair: tuple[str, str]) -> None:
    """H33: schedules of calls that have nothing to do with each other prove nothing."""
    assert meetings_of(*pair, 1)


def test_the_gaps_inside_every_function_are_marked() -> None:
    """5.4, layer 4: each function that changes a table stops at least once before its end."""
    unmarked = [name for name, text in FUNCTIONS.items() if "event_store.mark()" not in instrumented(text)]

    assert unmarked == ["moment_v1"]  # one statement each, and none of them a change


def test_a_mark_leaves_found_as_it_was() -> None:
    """A mark between a statement and its `IF NOT FOUND` would otherwise decide it."""
    body = "LANGUAGE plpgsql AS $$\nBEGIN\n    UPDATE a SET b = 1;\n    IF NOT FOUND THEN RETURN; END IF;\n" + (
        "    DELETE FROM c;\nEND\n$$;"
    )

    marked = instrumented(body)

    assert marked.count("event_store.mark()") == 1
    assert "IF event_store.mark() THEN NULL; END IF; DELETE" in marked


@pytest.mark.asyncio(loop_scope="module")
async def test_every_merge_of_two_lists_of_steps_is_run_once(playing: Server) -> None:
    """H33: an append's three statements against one move of the clock are four merges, counted by hand."""
    found = await explore(playing, Meeting(scenes.running, (Move("append", 0), Move("tick", 0))))

    assert (found.schedules, found.blocked, found.bounded, found.violations) == (4, 0, False, [])


def test_reads_are_told_from_writes_by_their_names() -> None:
    """A read meets every write, and no other read."""
    assert {"read_head", "list_due", "count_executions"} <= READS
    assert not READS & {"append", "claim_runnable", "take_duty"}
