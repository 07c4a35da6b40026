"""Why an execution is not moving: each reason that the event store knows, where it holds and where it does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kernel.play import LEASE_MS, SHOP, Played, Stage, child, group, mail, operator, timer
from loom.ids import Nonce
from loom.kernel import calls as c
from loom.kernel.limits import FILLING_PERCENTS, Limits, filling_of

PLAYS: dict[str, Callable[[Stage], Played]] = {
    "timer": lambda stage: stage.parked(timer(delay_ms=1_000)),
    "timer-overdue": lambda stage: stage.parked(timer()),
    "message": lambda stage: stage.parked(mail("paid", key="17")),
    "blocked": lambda stage: stage.parked(operator("the code has changed")),
    "unknown-tail": lambda stage: after(it := stage.parked(timer()), it.stamp()),
    "children": lambda stage: parent(stage).park(child("kid")),
    "child": lambda stage: parent(stage).park(group("kid")),
    "satisfied": lambda stage: ended_child(parent(stage).park(child("kid"))),
    "single-writer": lambda stage: stage.single(),
    "owned": lambda stage: stage.owned(),
    "lease-expired": lambda stage: after(stage.owned(), stage.clock.advance(LEASE_MS + 1)),
    "cancel-requested": lambda stage: after(it := stage.owned(), it.cancel()),
    "not-before": lambda stage: stage.start(delay_ms=1_000),
    "no-worker": lambda stage: stage.start(),
    "runnable": lambda stage: polled(stage.start(code_version="7")),
    "outbox": lambda stage: stage.start(),
    "pin": lambda stage: after(
        it := stage.start(), it.stage.do(c.SetPin(**it.seen, owner="audit", reason="until March"))
    ),
    "log-filling": lambda stage: after(it := stage.owned(), it.append(*["line"] * 9)),
    "completed": lambda stage: stage.ended(),
    "deleted": lambda stage: after(it := stage.ended(), it.delete()),
}
TELLS = {
    "timer": "due in 1000 ms",
    "message": "paid with the key 17",
    "blocked": "the code has changed",
    "children": "1 of 1 children",
    "owned": "me runs it",
    "not-before": "for 1000 ms",
    "no-worker": "start one",
    "runnable": "1 workers poll default for w@7",
    "pin": "audit: until March",
    "log-filling": "10 of 20 events, over 50 percent: continue as new, or start another execution",
}


@pytest.mark.parametrize("code", PLAYS)
def test_each_reason_is_told_where_it_holds(code: str) -> None:
    """Design 5: its waits, each child's state, the outbox, the owner and its lease, who polls, the pins."""
    reasons = why(PLAYS[code](Stage(log_events=20, log_reserved=2)))

    assert code in reasons
    assert TELLS.get(code, "") in reasons[code]


@pytest.mark.parametrize("code", PLAYS)
def test_no_reason_is_told_of_what_has_no_cause_for_it(code: str) -> None:
    """Negative control: a reason that is told everywhere says nothing."""
    without = [other for other in PLAYS if code not in why(PLAYS[other](Stage(log_events=20, log_reserved=2)))]

    assert without


def test_a_log_that_fills_is_told_of_from_half_its_room_on_and_until_it_ends() -> None:
    """Design 9: warnings at 50 and 80 percent, with the way out."""
    played = Stage(log_events=20, log_reserved=2).owned()

    told = []
    for _ in range(18):
        text = why(played).get("log-filling", "")
        told.append((played.head.last_seq, text.partition("over ")[2].partition(" ")[0]))
        played.append("line" if played.head.last_seq < 18 else "EXECUTION_COMPLETED")

    assert told == [(seq, "" if seq < 10 else "50" if seq < 16 else "80") for seq in range(1, 19)]
    assert "log-filling" not in why(played)


def test_a_step_is_reached_at_its_very_percent_whatever_the_room() -> None:
    """Design 9: no rounding down, no rounding up."""
    for room in (3, 10, 60, 50_000):
        limits = Limits(log_events=room)
        for percent in FILLING_PERCENTS:
            reached = next(seq for seq in range(room + 1) if (filling_of(seq, limits) or 0) >= percent)
            assert reached * 100 >= room * percent > (reached - 1) * 100


def why(played: Played) -> dict[str, str]:
    """The reasons told, by code."""
    answer: c.Why = played.stage.do(c.ReadWhy(**played.at))
    return {reason.code: reason.text for reason in answer.reasons}


def parent(stage: Stage) -> Played:
    """With one child that runs, its hints relayed."""
    played = stage.owned()
    played.start_child("kid")
    stage.store.rows.outbox.clear()
    return played


def ended_child(played: Played) -> Played:
    """The parent, once its child has completed."""
    kid = Played(played.stage, played.edges["kid"].child, played.chain)
    kid.claim().append("EXECUTION_COMPLETED")
    return played


def after(played: Played, _: Any) -> Played:
    """The execution, once something was done to it."""
    return played


def polled(played: Played) -> Played:
    """A worker looks for this workflow in this version, and takes nothing."""
    ask = {"namespace": SHOP, "queue": "default", "owner": "w1", "max": 1}
    played.claim()
    played.stage.do(c.ClaimRunnable(**ask, workflows=("w@7",), nonce=Nonce("nonce-of-128-bits-or-so-x")))
    played.release()
    return played
