"""Kinds of event: which of them answer a park."""

import inspect

import pytest

from loom.kernel import kinds
from loom.kernel.kinds import AUDIT_KINDS, COMPLETING_KINDS, TERMINAL_KINDS, EventKind, is_answering, kind_of

ANSWERING = {
    "EXECUTION_RESUMED",
    "EXECUTION_SUSPENDED",
    "EXECUTION_COMPLETED",
    "EXECUTION_FAILED",
    "EXECUTION_CANCELLED",
    "EXECUTION_CONTINUED",
}


def test_just_these_kinds_are_answering():
    """Design 2, kinds of event: the six named, and no other that this version knows."""
    assert {kind.value for kind in EventKind if kind.answering} == ANSWERING


@pytest.mark.parametrize("kind", list(EventKind))
def test_a_kind_without_its_statement_fails_at_import(kind):
    """I15: there is no default for a member that forgot to say."""
    source = inspect.getsource(kinds)
    silent = source.replace(f'"{kind}", {kind.answering}', f'"{kind}"')

    assert silent != source
    with pytest.raises(TypeError):
        exec(silent, {"__name__": "silent"})


def test_the_kinds_as_they_are_can_be_imported():
    """Negative control of the test above."""
    exec(inspect.getsource(kinds), {"__name__": "as_it_is"})


@pytest.mark.parametrize("kind", list(EventKind))
@pytest.mark.parametrize("stamped", [True, False])
def test_a_known_kind_is_what_it_says_with_or_without_a_stamp(kind, stamped):
    """I15: the map of the kinds known decides, not the stamp."""
    assert is_answering(kind.value, stamped) is kind.answering


def test_an_unknown_kind_answers_if_and_only_if_a_server_stamped_it():
    """I15: stamped by a newer server: answering; an application's: ignorable."""
    assert is_answering("EXECUTION_HIBERNATED", True) is True
    assert is_answering("EXECUTION_HIBERNATED", False) is False


@pytest.mark.parametrize("stamp", ["true", 1, "yes"])
def test_a_stamp_is_json_true_and_nothing_like_it(stamp):
    """I15, H18: the string "true" is no stamp."""
    assert is_answering("EXECUTION_HIBERNATED", stamp) is False


def test_terminal_kinds_answer_and_audit_kinds_never_do():
    """2.3: what ends an execution answers its park; an audit note blocks no resume (I14)."""
    assert all(kind.answering for kind in TERMINAL_KINDS)
    assert not any(kind.answering for kind in AUDIT_KINDS)


def test_what_completes_is_what_came_back_from_a_claim():
    """I27: a step, message or child that completes; STEP_STARTED comes before the step that kills."""
    assert EventKind.STEP_COMPLETED in COMPLETING_KINDS
    assert {EventKind.STEP_STARTED, EventKind.STEP_RETRIED, EventKind.EFFECT_INTENT}.isdisjoint(COMPLETING_KINDS)


def test_kinds_are_told_from_other_names_exactly():
    """I15: classification is total, and spelling counts."""
    assert all(kind_of(kind.value) is kind for kind in EventKind)
    assert kind_of("execution_resumed") is kind_of(" EXECUTION_RESUMED") is kind_of("order.placed") is None
