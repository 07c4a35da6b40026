import pytest

from conformance.killing import CASES, is_red
from conformance.run_all import is_even, is_whole, kill
from fixtures.broken_stores import EarlyTimers
from fixtures.mutants import MUTANTS, Mutant
from loom_conformance import Outcome, Report

SOUND = Mutant(name="none", case="append/start-writes-event-one")
DEMANDED = {
    "guard `<=`",
    "guard without grant",
    "guard without incarnation",
    "expiry ignored on append",
    "expiry ignored on renew",
    "expiry ignored on release",
    "reentrant claim",
    "foreign credential not looked at",
    "sequence judged before the fence",
    "position `>=`",
    "contiguous positions demanded",
    "head made by append",
    "one commit per execution in a batch",
    "message as two appends",
    "retry on the token alone",
    "absence-only park check",
    "answer taken from the caller",
    "pin only while parked",
    "fruitless claims not reset by a park",
    "a park that ignores an unheard cancel",
    "timer key by wake time",
    "timer key without incarnation",
    "start on a tombstone without `recreate`",
    "audit call that takes any kind",
    "continued in two calls",
    "edges left behind",
    "the inbox left behind",
    "a cancel request left behind",
    "the deadline left behind",
    "renamed by a counter",
    "edge by parent and key",
    "attached without the outcome of what has ended",
    "children listed, then cancelled",
    "evicted without the token",
}


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
async def test_a_broken_store_turns_its_case_red(mutant: Mutant) -> None:
    """Decision 12: every rule has a fault that its case must notice, the very case that the mutant names."""
    assert await is_red(mutant, CASES[mutant.case])


@pytest.mark.parametrize("case", sorted({mutant.case for mutant in MUTANTS}))
async def test_a_sound_store_leaves_those_cases_green(case: str) -> None:
    """Negative control: with nothing replaced the same cases pass, before and after mutants ran here."""
    assert not await is_red(SOUND, CASES[case])


async def test_a_survivor_is_told_and_fails_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    """Negative control for `make conformance`: what no case notices is no kill, nor is a kill by another case."""
    misplaced = Mutant(name="misplaced", case=SOUND.case, timers=EarlyTimers)

    assert not await kill(SOUND)
    assert not await kill(misplaced)
    assert "mutant none: survived" in capsys.readouterr().out


def test_a_case_that_failed_or_is_missing_fails_the_run() -> None:
    """Negative control for `make conformance`: a body must pass every case, and have as many as memory."""
    passed, failed, unreachable = (
        Outcome(CASES[SOUND.case]),
        Outcome(CASES[SOUND.case], "x"),
        Outcome(CASES[SOUND.case], "x", reachable=False),
    )
    whole, short = Report("a", 1, (passed, passed)), Report("b", 1, (passed,))

    assert is_whole(whole)
    assert not is_whole(Report("c", 1, (passed, failed)))
    assert not is_whole(Report("d", 1, (passed, unreachable)))
    assert is_even([whole, whole])
    assert not is_even([whole, short])


def test_the_mutants_that_were_asked_for_are_there() -> None:
    """The list grows; none of these leaves it, and no name occurs twice."""
    names = [mutant.name for mutant in MUTANTS]

    assert set(names) >= DEMANDED
    assert len(names) == len(set(names))
