"""The head is the fold of its log, whatever is called in whatever order."""

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernel.play import Stage, operator, timer
from kernel.scripts import MOVES, Script, moves_of
from loom.ids import Sequence, Token
from loom.kernel.decisions.draft import Draft
from loom.kernel.events import Event
from loom.kernel.execution import Execution, fold, why_drifted
from loom.kernel.heads import Status
from loom.kernel.kinds import is_answering
from loom.kernel.raw_json import RawJson, encode
from loom.wire.codec import decode_answer

LOGS = Path(__file__).parent / "logs"
SEEDS = range(60)  # of the scripts that the mutants are tried with


def play_all() -> Counter[str]:
    """Every seeded script; the codes met and the kinds written."""
    return sum((Script().play(moves_of(seed)).seen for seed in SEEDS), Counter[str]())


moves = st.lists(st.tuples(st.integers(0, len(MOVES) - 1), st.integers(0, 7), st.integers(0, 7)), max_size=80)


@settings(max_examples=150, derandomize=True, deadline=None, database=None)
@given(moves)
def test_after_every_call_the_head_is_the_fold_of_its_log(script):
    """I8, and with it I1, I3, I5 to I7, I9, I16, I19 and I41, as `scripts` words them."""
    Script().play(script)


@pytest.mark.parametrize("seed", range(100))
def test_long_scripts_end_with_every_head_folded(seed):
    """I8: what short scripts do not reach."""
    Script().play(moves_of(seed, 120))


def test_the_scripts_reach_every_kind_and_most_refusals():
    """Negative control: scripts that met refusals only would prove nothing."""
    seen = play_all()

    kinds = {"EXECUTION_STARTED", "EXECUTION_SUSPENDED", "EXECUTION_RESUMED", "EXECUTION_COMPLETED", "EXECUTION_FAILED"}
    kinds |= {"EXECUTION_CANCELLED", "EXECUTION_CANCEL_REQUESTED", "MESSAGE_CONSUMED", "CHILD_STARTED", "CHILD_OUTCOME"}
    kinds |= {"ANNOTATED", "OUTCOME_RECORDED", "STEP_COMPLETED", "order.placed", "EXECUTION_HIBERNATED"}
    codes = {"stale", "foreign-credential", "credential-required", "not-parked", "not-claimable", "lease-held"}
    codes |= {"illegal-transition", "not-yet", "resume-contended", "unchanged-mismatch", "pinned", "gone", "deleted"}
    assert kinds | codes <= set(seen)


MUTANTS = {
    "a resume that looks at no park": ("loom.kernel.decisions.resuming.is_parked_at", lambda head, park_seq: True),
    "any kind in any status": ("loom.kernel.legality.is_legal", lambda kind, writer, status: True),
    "repeats not looked up": ("loom.kernel.decisions.appending.first_event", lambda *_: None),
    "a claim that does not know its repeat": ("loom.kernel.decisions.owning.is_repeat", lambda *_: False),
    "mail looked up as it was before the call": (
        "loom.kernel.decisions.draft.Draft.message",
        lambda draft, id: draft.view.message(draft.head.head, id),
    ),
    "mail copied and not marked": ("loom.kernel.decisions.draft.Draft.write_message", lambda draft, message: None),
    "a child's end that tells no edge": ("loom.kernel.decisions.draft.Draft.edges_of_child", lambda draft: ()),
    "a token that falls": ("loom.ids.Token.next", lambda token, epoch: Token(max(0, token - 1))),
    "a park that does not know its own answer again": (
        "loom.kernel.decisions.parking.is_own_answer",
        lambda answer: False,
    ),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_broken_store_drifts(monkeypatch, name):
    """Negative control: each of these must be noticed by some script."""
    target, mutant = MUTANTS[name]
    monkeypatch.setattr(target, mutant)

    with pytest.raises(AssertionError):
        play_all()


@pytest.mark.parametrize("forgotten", ["status", "park_seq", "waits", "wake_at", "unknown_tail", "cancel_seq"])
def test_a_column_that_is_not_kept_is_noticed(monkeypatch, forgotten):
    """Negative control of I8: each column of the fold, left as it was when its event was appended."""
    kept = Draft.move
    monkeypatch.setattr(
        Draft, "move", lambda draft, **fields: kept(draft, **{k: v for k, v in fields.items() if k != forgotten})
    )

    with pytest.raises(AssertionError):
        play_all()


def test_a_claim_appends_nothing_so_the_fold_cannot_tell_pending_from_running():
    """I8: up to `pending` against `running`."""
    stage = Stage()
    pending, running = stage.start(), stage.owned()

    assert fold(pending.log).status is fold(running.log).status is Status.RUNNING
    assert why_drifted(pending.head, fold(pending.log)) is None
    assert why_drifted(running.head, fold(running.log)) is None


def test_the_fold_of_nothing_is_the_beginning():
    """fenced-run-state 1: an unknown execution has an empty log."""
    assert fold([]) == Execution()


def test_a_newer_servers_answer_leaves_the_status_and_hides_the_park():
    """I15: the status stays parked, the park is unknown; the next park that is known is one."""
    stage = Stage()
    played = stage.parked(timer(1_000))
    played.stamp()

    execution = fold(played.log)

    assert (execution.status, execution.park_seq, execution.unknown_tail) == (Status.PARKED, None, True)
    assert why_drifted(played.head, execution) is None


def test_a_park_after_a_newer_servers_answer_is_known_again():
    """2.3: the newest answering event decides."""
    played = Stage().owned()
    played.stamp()
    played.park(operator())

    assert (played.head.park_seq, played.head.unknown_tail) == (played.park_seq, False)
    assert why_drifted(played.head, fold(played.log)) is None


def test_a_token_below_a_fence_is_drift():
    """I8: token >= max(fence of the events)."""
    played = Stage().owned()
    fenced = fold([*played.log, an_event(2, "order.placed", fence=Token(played.head.token + 1))])

    assert "last_seq" in str(why_drifted(played.head, fenced))
    same_length = fold([an_event(1, "EXECUTION_STARTED", fence=Token(played.head.token + 1))])
    assert why_drifted(played.head, same_length) == "the token is below a fence of the log"


def an_event(seq: int, kind: str, payload: str = "null", *, fence: Token, kernel: bool = True) -> Event:
    """An event in a log that no store wrote."""
    return Event(
        seq=Sequence(seq),
        kind=kind,
        payload=RawJson(payload),
        fence=fence,
        kernel=kernel,
        recorded_at=Stage().clock.now(),
    )


def read_log(name: str) -> tuple[dict[str, Any], list[Event]]:
    """What was recorded, and the events: the first line of a file and the others."""
    recorded, *lines = (LOGS / name).read_text("utf-8").splitlines()
    return json.loads(recorded), [decode_answer(Event, line.encode()) for line in lines]


SUMS = dict(reversed(line.split()) for line in (LOGS / "SHA256SUMS").read_text("utf-8").splitlines())


@pytest.mark.parametrize("name", sorted(SUMS))
def test_a_log_of_the_past_folds_to_what_was_recorded(name):
    """Golden logs: what stores wrote once, any later version reads so."""
    recorded, events = read_log(name)

    folded = json.loads(encode(fold(events)))

    assert {member: folded[member] for member in recorded} == recorded


def test_a_log_of_the_past_is_never_edited():
    """D: a new promise gets a new log."""
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in LOGS.glob("*.jsonl")}

    assert found == SUMS


@pytest.mark.parametrize("kind", ["EXECUTION_SUSPENDED", "EXECUTION_RESUMED"])
def test_a_kind_misread_is_noticed_by_some_log_of_the_past(monkeypatch, kind):
    """Negative control: a fold that passes an answering kind over."""
    monkeypatch.setattr(
        "loom.kernel.execution.is_answering", lambda name, kernel: name != kind and is_answering(name, kernel)
    )
    logs = [read_log(name) for name in SUMS]

    assert any(json.loads(encode(fold(events)))["status"] != recorded["status"] for recorded, events in logs)
