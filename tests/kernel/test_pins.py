"""Pins: an ended execution stays while somebody needs it."""

from dataclasses import replace

import pytest

from kernel.play import Stage, child, event, group, refused, timer
from loom.errors import ExecutionPinned, IllegalTransition
from loom.kernel import calls as c
from loom.kernel.heads import Status
from loom.kernel.raw_json import RawJson


def family():
    """A running parent and its child, which has ended."""
    stage = Stage()
    parent = stage.owned()
    kid = parent.start_child("kid")
    kid.claim().append(event("EXECUTION_COMPLETED", 42))
    return stage, parent, kid


def check_pinned_before_its_parent_parks() -> None:
    """H7: a child that ends before its parent reaches the await is pinned like any other."""
    _, _, kid = family()
    refused(ExecutionPinned, kid.delete)


def check_pinned_while_its_parent_waits() -> None:
    """I41: its outcome stays readable until the parent's log contains it."""
    _, parent, kid = family()
    parent.park(child("kid"))
    refused(ExecutionPinned, kid.delete)


def check_pinned_while_its_parent_waits_for_something_else() -> None:
    """H7: parked on another key, pinned all the same."""
    _, parent, kid = family()
    parent.park(timer(1_000))
    refused(ExecutionPinned, kid.delete)


RULES = (
    check_pinned_before_its_parent_parks,
    check_pinned_while_its_parent_waits,
    check_pinned_while_its_parent_waits_for_something_else,
)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_a_child_is_pinned_until_its_outcome_is_in_its_parents_log(rule):
    """I41, H7."""
    rule()


@pytest.mark.parametrize(
    "mutant",
    [
        lambda edge, parent: parent is not None and parent.status is Status.PARKED,
        lambda edge, parent: (
            parent is not None
            and any(getattr(getattr(wait, "child", None), "key", None) == edge.child_key for wait in parent.waits)
        ),
        lambda edge, parent: False,
    ],
    ids=["pinned only while parked", "pinned only while awaited", "never pinned"],
)
def test_a_pin_that_misses_the_common_case_is_noticed(monkeypatch, mutant):
    """Negative control of H7."""
    monkeypatch.setattr("loom.kernel.pins.is_pinning", mutant)
    noticed = 0
    for rule in RULES:
        try:
            rule()
        except AssertionError:
            noticed += 1

    assert noticed


def _consume_by_append(parent) -> None:
    parent.append(event("CHILD_OUTCOME", child_key="kid"))


def _consume_by_resume(parent) -> None:
    parent.park(child("kid"))
    parent.resume("child", "kid")


def _release(parent) -> None:
    parent.append("order.placed", release=("kid",))


@pytest.mark.parametrize(
    "unpin",
    [_consume_by_append, _consume_by_resume, _release, lambda parent: parent.terminate()],
    ids=["consumed by an append", "consumed by a resume", "released", "the parent has ended"],
)
def test_what_unpins_a_child(unpin):
    """I41: its outcome is in its parent's log, the parent has ended, or the edge is released."""
    _, parent, kid = family()

    unpin(parent)
    kid.delete()

    assert kid.head.status is Status.DELETED


def test_the_losers_of_a_group_pin_nothing():
    """H50: losers of `any` that nobody consumes would be pinned for ever."""
    parent = Stage().owned()
    winner, loser = parent.start_child("a"), parent.start_child("b")
    parent.park(group("a", "b", policy="any"))
    winner.claim().append("EXECUTION_COMPLETED")
    parent.resume("group", "a")

    loser.claim().append("EXECUTION_COMPLETED")
    loser.delete()

    assert parent.edges["b"].status == "removed"


def test_a_resume_with_null_consumes_nothing_and_unpins_nothing():
    """H55: RESUMED with null moves to running without satisfying a wait."""
    _, parent, kid = family()
    parent.park(child("kid"))

    parent.resume(None)

    refused(ExecutionPinned, kid.delete)


def test_a_parent_stays_while_a_close_policy_is_open():
    """Design 2, delete: no close policy open; `abandon` is none."""
    for close, pinned in (("cancel", True), ("terminate", True), ("abandon", False)):
        parent = Stage().owned()
        parent.start_child("kid", close=close)
        parent.append("EXECUTION_COMPLETED")

        if pinned:
            refused(ExecutionPinned, parent.delete)
        else:
            parent.delete()


def test_an_operators_pin_holds_until_it_expires_or_is_removed():
    """Design 4, retention: operators pin with owner, reason, expiry; set again, it changes."""
    stage = Stage()
    played = stage.ended()
    stage.do(c.SetPin(**played.seen, owner="ada", reason="audit"))
    stage.do(c.SetPin(**played.seen, owner="ada", reason="audit again", ttl_ms=1_000))
    stage.do(c.SetPin(**played.seen, owner="bob", reason="curious"))

    assert "ada: audit again" in refused(ExecutionPinned, played.delete).detail
    stage.do(c.RemovePin(**played.seen, owner="bob"))
    stage.clock.advance(999)
    refused(ExecutionPinned, played.delete)
    stage.clock.advance(1)

    played.delete()


def test_only_what_is_archived_whole_is_deleted_where_archiving_is_on():
    """I45, H22: what lands between archive and delete is archived first."""
    stage = Stage()
    played = stage.ended()
    refused(ExecutionPinned, lambda: played.delete(archived=True))
    stage.do(c.MarkArchived(**played.seen, seq=played.head.last_seq))
    played.note("OUTCOME_RECORDED")

    refused(ExecutionPinned, lambda: played.delete(archived=True))
    stage.do(c.MarkArchived(**played.seen, seq=played.head.last_seq))
    played.delete(archived=True)


def test_only_what_has_ended_is_deleted():
    """I45."""
    for played in (Stage().start(), Stage().owned(), Stage().parked()):
        refused(IllegalTransition, played.delete)


def test_a_dry_run_says_what_a_delete_would_and_removes_nothing():
    """Design 4: dry run lists what would go and why."""
    _, _, kid = family()
    ended = Stage().ended()

    refused(ExecutionPinned, lambda: kid.delete(dry_run=True))
    would = ended.delete(dry_run=True)

    assert ended.kinds == ["EXECUTION_STARTED", "EXECUTION_COMPLETED"]
    assert ended.delete() == would


def test_pins_read_no_payload():
    """I47: a crypto-shredded log is kept and deleted by the same rule: no outcome is ever parsed."""
    _, parent, kid = family()
    rows = kid.stage.store.rows
    (key,) = rows.edges
    rows.edges[key] = replace(rows.edges[key], outcome=RawJson("not JSON at all"))

    refused(ExecutionPinned, kid.delete)
    parent.terminate()
    kid.delete()
