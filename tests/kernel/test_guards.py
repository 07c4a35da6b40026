"""The guard: by equality, on the head alone, in one order, the same on every surface."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import pytest

from kernel.play import LEASE_MS, Played, Stage, event, refused, run, timer
from loom.errors import (
    CredentialRequired,
    Deleted,
    ForeignCredential,
    Gone,
    IllegalTransition,
    Invalid,
    LoomError,
    LostHistory,
    NotFound,
    OrderViolation,
    SequenceConflict,
    Stale,
    TooLarge,
)
from loom.ids import Credential, ExecutionId, Incarnation, Nonce, Sequence, Token
from loom.kernel import calls as c
from loom.stores.surfaces import SURFACES


@dataclass(frozen=True)
class Fault:
    """One thing wrong with a write: how to make it so, and what it is refused with."""

    name: str
    error: type[LoomError]
    said: str
    break_it: Callable[[Stage, dict[str, Any]], None]


def _credential(**members: Any) -> Callable[[Stage, dict[str, Any]], None]:
    def break_it(stage: Stage, call: dict[str, Any]) -> None:
        own = call["credential"]
        call["credential"] = replace(own, **{name: make(getattr(own, name)) for name, make in members.items()})

    return break_it


def _call(**members: Any) -> Callable[[Stage, dict[str, Any]], None]:
    return lambda stage, call: call.update(members)


ORDER = (
    Fault("foreign", ForeignCredential, "credential is of", _credential(execution_id=lambda id: ExecutionId("other"))),
    Fault("incarnation", Stale, "another incarnation", _credential(incarnation=lambda i: Incarnation(i ^ 1))),
    Fault("greater token", LostHistory, "is stored", _credential(token=lambda t: Token(t + 1))),
    Fault("older epoch", Stale, "older epoch", lambda stage, call: run(stage.store.raise_epoch())),
    Fault("smaller token", Stale, "is current", _credential(token=lambda t: Token(t - 1))),
    Fault("another grant", Stale, "grant", _credential(nonce=lambda n: Nonce(n + "x"))),
    Fault("expired", Stale, "expired", lambda stage, call: stage.clock.advance(LEASE_MS)),
    Fault("too large", TooLarge, "at most", _call(events=(event("order.placed", "x" * 5000, position=1),))),
    Fault("another tail", SequenceConflict, "expected", _call(expected_seq=Sequence(9))),
    Fault("an old position", OrderViolation, "follow", _call(events=(event("order.placed", position=0),))),
    Fault("an illegal kind", IllegalTransition, "", _call(events=(event("EXECUTION_SUSPENDED", position=6),))),
)
"""Design 2: credential of another id, then the fence, then sequences, then what is written."""


def attempt(*faults: Fault) -> None:
    """An append with these faults is refused by the first of them, and nothing is stored."""
    stage = Stage(event_bytes=4000)
    played = stage.owned()
    played.append(event("order.placed", position=5))
    before = played.log
    call = {"credential": played.credential, "events": (event("order.placed", position=6),)}

    for fault in faults:
        fault.break_it(stage, call)

    error = refused(faults[0].error, lambda: played.append(**call))
    assert faults[0].said in error.detail
    assert played.log == before


@pytest.mark.parametrize("fault", ORDER, ids=lambda fault: fault.name)
def test_each_fault_alone_is_refused_under_its_own_code(fault):
    """I21, I22: an older token is `stale`, a greater one proof of lost history."""
    attempt(fault)


def is_one_field(first: Fault, second: Fault) -> bool:
    """Two faults that cannot be in one call."""
    tokens, events = {"greater token", "smaller token"}, {"too large", "an old position", "an illegal kind"}
    return {first.name, second.name} in (tokens, *({a, b} for a, b in combinations(events, 2)))


PAIRS = [pair for pair in combinations(ORDER, 2) if not is_one_field(*pair)]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: " and ".join(fault.name for fault in pair))
def test_of_two_faults_the_earlier_in_the_order_is_told(pair):
    """I22, F6: a stale write says stale even when its numbers are stale too."""
    attempt(*pair)


GUARDS: dict[str, tuple[str, Any, str]] = {
    "foreign credentials not looked at": ("decisions.appending.check_own", lambda *_: None, "foreign"),
    "any incarnation": ("guards.is_of_incarnation", lambda *_: True, "incarnation"),
    "lost history taken for stale": ("guards.is_lost_history", lambda *_: False, "greater token"),
    "no epoch term": ("guards.is_old_epoch", lambda *_: False, "older epoch"),
    "stored <= presented": (
        "guards.is_lost_history",
        lambda head, credential: credential.token < head.token,
        "greater token",
    ),
    "presented <= stored": (
        "guards.is_of_token",
        lambda head, credential: credential.token <= head.token,
        "smaller token",
    ),
    "no grant": ("guards.is_of_grant", lambda *_: True, "another grant"),
    "no expiry": ("guards.is_lease_live", lambda *_: True, "expired"),
    "no sizes": ("decisions.appending.check_sizes", lambda *_: None, "too large"),
    "no expected sequence": ("decisions.appending.check_sequences", lambda *_: None, "another tail"),
    "positions compared with >=": (
        "decisions.appending.is_next_position",
        lambda last, position: True,
        "an old position",
    ),
    "any kind": ("decisions.appending.check_appendable", lambda kind: None, "an illegal kind"),
}


@pytest.mark.parametrize("name", GUARDS)
def test_a_guard_taken_out_is_noticed(monkeypatch, name):
    """Negative control: each predicate of the guard, made to agree to everything."""
    target, mutant, told = GUARDS[name]
    monkeypatch.setattr(f"loom.kernel.{target}", mutant)
    if name == "any kind":
        monkeypatch.setattr("loom.kernel.decisions.appending.check_legal", lambda *_: None)

    with pytest.raises(AssertionError):
        attempt(next(fault for fault in ORDER if fault.name == told))


def test_a_right_write_passes_the_guard():
    """Negative control of all the above."""
    played = Stage().owned()

    played.append(event("order.placed", position=6), expected_seq=Sequence(1))

    assert played.kinds[-1] == "order.placed"


# --- every surface


def surface_calls(played: Played, other: Played) -> dict[str, Callable[[Any], Any]]:
    """A call on each surface, under a credential."""
    at, written = played.at, (event("order.placed"),)
    return {
        "events": lambda held: c.Append(**at, batch_id="k", credential=held, events=written),
        "events-batch": lambda held: c.AppendBatch(
            namespace=played.ref.namespace,
            batch_id="k",
            items=(c.AppendItem(execution_id=played.ref.execution_id, credential=held, events=written),),
        ),
        "park": lambda held: c.Park(**at, batch_id="k", credential=held, waits=(timer(),)),
        "children": lambda held: c.StartChild(**at, batch_id="k", credential=held, child_key="kid", workflow="w"),
        "attach": lambda held: c.Attach(
            **at, batch_id="k", credential=held, child_key="kid", child_id=other.ref.execution_id, chain="*"
        ),
        "continue": lambda held: c.ContinueAsNew(**at, batch_id="k", credential=held),
        "messages": lambda held: other.send_call(sender=held),
        "renew": lambda held: c.Renew(**at, credential=held, ttl_ms=LEASE_MS),
        "release": lambda held: c.Release(**at, credential=held),
        "answer": lambda held: c.Resume(**played.seen, park_seq=Sequence(2), credential=held),
        "delete": lambda held: c.Delete(**played.seen, credential=held),
    }


def test_every_surface_of_the_table_is_tried_here():
    """Law 3: one case for each."""
    stage = Stage()

    assert set(surface_calls(stage.owned(), stage.owned())) == {surface.name for surface in SURFACES}


@pytest.mark.parametrize("surface", [surface.name for surface in SURFACES])
@pytest.mark.parametrize("fault", ORDER[:7], ids=lambda fault: fault.name)
def test_a_dead_credential_changes_nothing_on_any_surface(surface, fault):
    """I21: every surface is guarded the same way, and what was refused is remembered (law 3)."""
    stage = Stage()
    played, other = stage.owned(), stage.owned()
    call = {"credential": played.credential}
    fault.break_it(stage, call)
    make = surface_calls(played, other)[surface]
    before = stage.store.rows.heads.copy(), dict(stage.store.rows.edges), len(stage.store.rows.outbox)

    error = refused(_expected(surface, fault), lambda: stage.do(make(call["credential"])))

    assert error.retryable is False
    assert (stage.store.rows.heads, dict(stage.store.rows.edges), len(stage.store.rows.outbox)) == before
    recorded = [row.surface for row in stage.store.rows.refusals[played.head.head].values()]
    assert recorded == ([] if fault.name == "foreign" else [surface])


def _expected(surface: str, fault: Fault) -> type[LoomError]:
    """A sender names itself: that it is another execution is no fault, that there is none is."""
    return NotFound if (surface, fault.name) == ("messages", "foreign") else fault.error


def test_a_refused_write_is_counted_under_both_tokens():
    """Design 1, `ownership`: which late writes were refused."""
    stage = Stage()
    played = stage.owned()
    late = played.credential
    stage.clock.advance(LEASE_MS)
    played.claim()

    for _ in range(3):
        refused(Stale, lambda: played.append("order.placed", credential=late))

    (row,) = stage.do(c.ReadOwnership(**played.at)).refusals
    assert (row.token, row.current_token, row.surface, row.count) == (late.token, played.head.token, "events", 3)


# --- without a credential


def test_what_has_a_queue_is_written_by_its_owner_only():
    """I28: one started with a queue refuses from birth."""
    played = Stage().start()

    refused(CredentialRequired, lambda: played.append("order.placed"))
    refused(CredentialRequired, lambda: played.park(timer()))
    refused(CredentialRequired, lambda: played.start_child("kid"))


def test_single_writer_mode_ends_with_the_first_claim_or_acquire():
    """Design 2: until the first explicit claim or acquire ends the mode."""
    claimed, acquired = Stage().single(), Stage().single().park(timer())
    claimed.append("order.placed")

    claimed.claim()
    acquired.acquire()

    for played in (claimed, acquired):
        assert not played.head.single_writer
        refused(CredentialRequired, lambda played=played: played.append("order.seen", **played.seen, credential=None))


def test_single_writer_mode_keeps_its_token_through_a_resume():
    """I28: a resume leaves its token alone; any credential is refused."""
    played = Stage().single().park(timer())
    forged = Credential(**played.seen, token=Token(0), nonce=Nonce("n" * 32))

    played.resume()

    assert played.head.token == 0
    refused(Stale, lambda: played.append("order.placed", credential=forged))
    played.append("order.placed")


def test_who_presents_nothing_must_say_what_it_saw():
    """Law 4: each is a compare-and-set on what the caller saw."""
    played = Stage().single()

    refused(Invalid, lambda: played.append("order.placed", incarnation=None))


@pytest.mark.parametrize(
    "act",
    [
        lambda p, **seen: p.resume(**seen),
        lambda p, **seen: p.terminate(**seen),
        lambda p, **seen: p.fail(**seen),
        lambda p, **seen: p.delete(**seen),
        lambda p, **seen: p.note(**seen),
        lambda p, **seen: p.claim(token=Token(0), **seen),
        lambda p, **seen: p.acquire(token=Token(0), **seen),
        lambda p, **seen: p.append("order.placed", credential=None, **seen),
    ],
    ids=["resume", "terminate", "fail", "delete", "note", "claim", "acquire", "append"],
)
def test_calls_without_a_credential_tell_nothing_from_deleted_from_another(act):
    """I48, I31: `not-found`, `deleted` with its ending, `gone` naming what lives there now."""
    stage = Stage()
    single = stage.single(id="e")
    other = Incarnation(single.ref.incarnation ^ 1)

    error = refused(Gone, lambda: act(single, incarnation=other))
    assert error.facts["incarnation"] == str(int(single.ref.incarnation))

    never = Played(stage, replace(single.ref, execution_id=ExecutionId("never"), incarnation=other), single.chain)
    refused(NotFound, lambda: act(never))


def test_a_tombstone_tells_the_ending_it_kept():
    """Design 5, `deleted`: with the ending the tombstone kept."""
    played = Stage().ended()
    played.delete()

    error = refused(Deleted, lambda: played.note())

    assert error.facts["ending"] == "completed"


@pytest.mark.parametrize("act", [lambda p, **a: p.send(**a), lambda p, **a: p.cancel(**a)], ids=["send", "cancel"])
def test_send_and_cancel_compare_the_chain(act):
    """Law 4: an application that knows only the id writes `*`; a re-created id is another chain."""
    stage = Stage()
    first = stage.single(id="e")
    first.terminate()
    first.delete()
    second = stage.single(id="e", recreate=True)

    refused(Gone, lambda: act(first))
    act(first, chain="*")

    assert second.head.incarnation != first.ref.incarnation


def test_a_stale_resumed_under_a_grant_says_stale_before_gone():
    """Design 2: `Stale(current token)` of RESUMED under its grant; `gone` is for calls without a credential."""
    stage = Stage()
    played = stage.parked().acquire()
    held = played.credential
    played.resume(credential=held)
    played.terminate()
    played.delete()
    stage.start(played.ref.execution_id, recreate=True)

    refused(Stale, lambda: played.resume(credential=held))


def test_an_acquirer_appends_resumed_and_nothing_else():
    """Design 2, acquire-if-parked: and without a second bump."""
    played = Stage().parked().acquire()
    token = played.head.token

    refused(IllegalTransition, lambda: played.append("order.placed"))
    refused(IllegalTransition, lambda: played.park(timer()))
    refused(IllegalTransition, lambda: played.start_child("kid"))
    assert played.resume(credential=played.credential).token == token == played.head.token


def test_neither_parker_nor_owner_answers_its_own_park_as_an_acquirer():
    """2.2: while parked, `owner` tells the two apart; without it the parker could answer its own park."""
    parker = Stage().parked()
    refused(IllegalTransition, lambda: parker.resume(credential=parker.credential))

    owner = Stage().owned()
    refused(IllegalTransition, lambda: owner.resume(credential=owner.credential))
