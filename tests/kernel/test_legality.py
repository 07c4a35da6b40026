"""The one table of legality, compared with the one in the books."""

import inspect
from collections.abc import Mapping

import pytest

from kernel.play import Stage, event, refused, timer
from loom.errors import IllegalTransition
from loom.kernel import legality
from loom.kernel.heads import Status
from loom.kernel.kinds import EventKind
from loom.kernel.legality import CALL_OF, LEGAL, Writer, check_appendable, is_legal

BOOKS = """
kind                        owner  parker  acquirer  single-writer  auditor  store  operator
STARTED                     -      -       -         -              -        -      -
SUSPENDED                   r      -       -         pr             -        pr     -
RESUMED                     -      -       k         -              -        k      -
COMPLETED                   r      -       -         pr             -        -      -
FAILED                      r      -       -         pr             -        -      prk
CANCELLED                   r      -       -         pr             -        p      prk
CONTINUED                   r      -       -         pr             -        -      -
CANCEL_REQUESTED            -      -       -         -              -        prk    -
DENIED                      -      -       -         -              prke     -      -
MIGRATED                    -      -       -         -              prke     -      -
ANNOTATED                   -      -       -         -              prke     -      -
OUTCOME_RECORDED            -      -       -         -              e        -      -
STEP_STARTED                r      k       -         prk            -        -      -
STEP_COMPLETED              r      k       -         prk            -        -      -
STEP_FAILED                 r      k       -         prk            -        -      -
STEP_RETRIED                r      k       -         prk            -        -      -
EFFECT_INTENT               r      k       -         prk            -        -      -
EFFECT_DONE                 r      k       -         prk            -        -      -
EFFECT_FAILED               r      k       -         prk            -        -      -
MESSAGE_CONSUMED            r      -       -         pr             -        k      -
CHILD_STARTED               r      -       -         pr             -        -      -
CHILD_OUTCOME               r      -       -         pr             -        k      -
(any-other)                 r      k       -         prk            -        -      -
"""
"""invariants 2.3. p pending, r running, k parked, e ended. Store: with start, park, resume, send, cancel, claim."""

LETTERS = {
    "p": {Status.PENDING},
    "r": {Status.RUNNING},
    "k": {Status.PARKED},
    "e": {Status.COMPLETED, Status.FAILED, Status.CANCELLED, Status.CONTINUED},
    "-": set(),
}

Table = Mapping[EventKind | None, Mapping[Writer, frozenset[Status]]]


def read_books() -> dict[tuple[EventKind | None, Writer], set[Status]]:
    """The cells of the table above."""
    header, *rows = (line.split() for line in BOOKS.strip().splitlines())
    writers = [Writer(name) for name in header[1:]]
    return {
        (_kind(name), writer): set().union(*(LETTERS[letter] for letter in cell))
        for name, *cells in rows
        for writer, cell in zip(writers, cells, strict=True)
    }


def _kind(name: str) -> EventKind | None:
    names = (name, f"EXECUTION_{name}")
    return next((kind for kind in EventKind if kind.value in names), None)


def list_differences(table: Table) -> list[tuple[EventKind | None, Writer]]:
    """Cells in which a table says otherwise than the books."""
    return [cell for cell, statuses in read_books().items() if table[cell[0]].get(cell[1], frozenset()) != statuses]


def test_every_cell_is_as_in_the_books():
    """I7, invariants 2.3: which kind, by which writer, in which status."""
    assert len(read_books()) == (len(EventKind) + 1) * len(Writer)
    assert list_differences(LEGAL) == []


@pytest.mark.parametrize("kind", list(LEGAL))
@pytest.mark.parametrize("writer", list(Writer))
def test_a_cell_changed_is_noticed(kind, writer):
    """Negative control: each cell, with one status more or less."""
    changed = LEGAL[kind].get(writer, frozenset()) ^ {Status.RUNNING}

    assert list_differences({**LEGAL, kind: {**LEGAL[kind], writer: changed}}) == [(kind, writer)]


def test_the_table_is_total():
    """2.3: the map is total; a member without an entry fails at import."""
    source = inspect.getsource(legality)
    without = source.replace("    EventKind.STEP_STARTED: _WORK,\n", "")

    assert without != source
    assert set(LEGAL) == {*EventKind, None}
    with pytest.raises(TypeError, match="STEP_STARTED"):
        exec(without, {"__name__": "without"})


def test_nobody_writes_into_a_tombstone():
    """I5: what is deleted takes nothing."""
    assert not any(is_legal(kind, writer, Status.DELETED) for kind in (*EventKind, "any") for writer in Writer)


@pytest.mark.parametrize("kind", list(CALL_OF))
def test_append_sends_who_writes_a_parks_kind_to_its_own_call(kind):
    """Design 2: SUSPENDED by park, RESUMED by resume, audit kinds by the audit call; never by append."""
    error = refused(IllegalTransition, lambda: check_appendable(kind.value))

    assert CALL_OF[kind] in error.detail


@pytest.mark.parametrize("kind", ["order.placed", "STEP_STARTED", "EXECUTION_COMPLETED", "EXECUTION_HIBERNATED"])
def test_what_has_no_call_of_its_own_is_appended(kind):
    """Negative control of the test above; a newer server's kind, unstamped, is the application's."""
    check_appendable(kind)


def test_a_refusal_names_kind_writer_and_status():
    """Section 9: a message that says what to do."""
    played = Stage().parked(timer())

    error = refused(IllegalTransition, lambda: played.append("EXECUTION_COMPLETED"))

    assert error.facts == {"kind": "EXECUTION_COMPLETED", "writer": "parker", "state": "parked"}


@pytest.mark.parametrize("late", ["order.placed", "STEP_COMPLETED", "EFFECT_DONE"])
def test_late_ignorable_kinds_of_the_parker_are_taken_until_its_lease_ends(late):
    """Design 2, park: until that lease ends the parker may still append ignorable kinds."""
    played = Stage().parked(timer(1_000))

    played.append(late)

    assert (played.kinds[-1], played.head.park_seq) == (late, played.park_seq)


def test_a_cancelled_needs_a_request():
    """2.3: EXECUTION_CANCELLED by the owner, after a request."""
    played = Stage().owned()

    refused(IllegalTransition, lambda: played.append("EXECUTION_CANCELLED"))
    played.cancel()
    played.append("EXECUTION_CANCELLED")

    assert played.head.status is Status.CANCELLED


def test_an_end_says_by_what_and_why_it_was_asked_for():
    """Design 2: EXECUTION_CANCELLED says by what: request, deadline, terminate, parent; here a passed `deadline_at`."""
    stage = Stage()
    played = stage.owned(timeout_ms=1_000)
    stage.clock.advance(1_000)
    played.cancel(by="deadline", reason="out of time")

    played.append(event("EXECUTION_CANCELLED", {"refunded": True}))

    assert played.log[-1].payload.parsed() == {
        "by": "deadline",
        "reason": "out of time",
        "detail": {"refunded": True},
    }


def test_nothing_follows_a_terminal_event_in_its_own_append():
    """I6: at most one terminal event, and afterwards only audit kinds."""
    played = Stage().owned()

    for after in ("order.placed", "EXECUTION_FAILED", "EXECUTION_COMPLETED"):
        refused(IllegalTransition, lambda after=after: played.append("EXECUTION_COMPLETED", after))

    assert played.kinds == ["EXECUTION_STARTED"]
