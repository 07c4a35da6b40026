"""Section 9: each limit refuses what is over it, takes what is at it, and says what to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pytest

from kernel.play import SHOP, Stage, child, event, group, mail, operator, refused, timer
from loom.errors import InboxFull, Invalid, LimitReached, NotClaimable, TooLarge
from loom.ids import Sequence
from loom.kernel import calls as c
from loom.kernel.heads import Status
from loom.kernel.limits import Limits
from loom.kernel.raw_json import RawJson

MIB = 1 << 20

DEFAULTS = {
    "event_bytes": MIB,
    "append_events": 100,
    "append_bytes": 2 * MIB,
    "result_bytes": 256 << 10,
    "log_events": 50_000,
    "log_reserved": 1_000,
    "inbox_waiting": 10_000,
    "children_open": 10_000,
    "lease_min_ms": 250,
    "lease_max_ms": 86_400_000,
    "duration_max_ms": 100 * 365 * 86_400_000,
    "cancel_deadline_ms": 600_000,
    "fruitless_claims": 8,
    "depth_read": 64,
    "depth_carried": 256,
}


def test_the_defaults_are_those_of_the_books():
    """Design, section 9. The depths are the scanner's, and tested with it."""
    assert {field.name: getattr(Limits(), field.name) for field in fields(Limits)} == DEFAULTS


def text_of(size: int) -> RawJson:
    """A payload of so many bytes."""
    return RawJson('"' + "x" * (size - 2) + '"')


SIZED: dict[str, tuple[str, Callable[[Stage, RawJson], Any]]] = {
    "an event": ("event_bytes", lambda stage, text: stage.owned().append(event_of("order.placed", text))),
    "a message": ("event_bytes", lambda stage, text: stage.owned().send(payload=text)),
    "an input": ("event_bytes", lambda stage, text: stage.start(input=text)),
    "a child's input": ("event_bytes", lambda stage, text: stage.owned().start_child("kid", input=text)),
    "a note": ("event_bytes", lambda stage, text: stage.owned().note(payload=text)),
    "a result": ("result_bytes", lambda stage, text: stage.owned().append(event_of("EXECUTION_COMPLETED", text))),
    "a failure": ("result_bytes", lambda stage, text: stage.owned().append(event_of("EXECUTION_FAILED", text))),
    "an operator's failure": ("result_bytes", lambda stage, text: stage.owned().fail(failure=text)),
}


def event_of(kind: str, text: RawJson) -> c.NewEvent:
    """An event with a payload as it is."""
    return c.NewEvent(kind=kind, payload=text)


@pytest.mark.parametrize("what", SIZED)
def test_what_is_at_a_limit_is_taken_and_a_byte_more_is_not(what):
    """Section 9: 413 `too-large`, with the size, the limit and a remedy; nothing is stored."""
    limit, act = SIZED[what]
    stage = Stage(**{limit: 100})

    act(stage, text_of(100))
    logs = sum(map(len, stage.store.rows.events.values()))
    error = refused(TooLarge, lambda: act(stage, text_of(101)))

    assert "101 bytes, at most 100: store it" in error.detail
    begun = sum(map(len, stage.store.rows.events.values())) - logs
    assert begun == (0 if what == "an input" else 1), "nothing but a STARTED was written"


def test_sizes_are_bytes_and_not_characters():
    """Section 9."""
    stage = Stage(event_bytes=5)

    stage.owned().append(event_of("order.placed", RawJson('"xyz"')))
    refused(TooLarge, lambda: stage.owned().append(event_of("order.placed", RawJson('"äöü"'))))


def test_an_append_has_so_many_events_and_bytes():
    """Section 9: 100 events and 2 MiB per append; split it."""
    stage = Stage(append_events=3, append_bytes=30)
    played = stage.owned()
    ten = event_of("order.placed", text_of(10))

    played.append(ten, ten, ten)

    assert "split" in refused(TooLarge, lambda: played.append(*["order.placed"] * 4)).detail
    longer = event_of("order.placed", text_of(11))
    assert "split" in refused(TooLarge, lambda: played.append(ten, ten, longer)).detail
    assert len(played.log) == 4


def test_an_append_of_nothing_is_refused():
    """I3: a call is recognised by what it wrote, so it must write something."""
    refused(Invalid, lambda: Stage().owned().append())


def test_a_batch_names_so_many_executions_each_once():
    """D: every batch has a named limit."""
    stage = Stage(append_events=2)
    items = tuple(
        c.AppendItem(execution_id=each.ref.execution_id, credential=each.credential, events=(event("order.placed"),))
        for each in (stage.owned(), stage.owned(), stage.owned())
    )

    def batch(*chosen: c.AppendItem) -> Any:
        return stage.do(c.AppendBatch(namespace=SHOP, batch_id=stage.name(), items=chosen))

    batch(*items[:2])
    assert "split" in refused(TooLarge, lambda: batch(*items)).detail
    refused(Invalid, lambda: batch(items[0], items[0]))
    refused(Invalid, batch)


# --- the log


def full(**limits: int) -> Any:
    """An owned execution whose log has room for kernel kinds only."""
    played = Stage(log_events=10, log_reserved=4, **limits).owned()
    played.append(*["order.placed"] * 5)
    return played


@pytest.mark.parametrize("kind", ["order.placed", "STEP_STARTED", "STEP_COMPLETED", "EFFECT_INTENT"])
def test_the_last_of_a_log_is_reserved_for_kernel_kinds(kind):
    """Section 9: 50,000 events per log, the last 1,000 reserved."""
    played = full()

    error = refused(LimitReached, lambda: played.append(kind))
    refused(LimitReached, lambda: played.start_child("kid"))

    assert "6 of 6 events: continue as new" in error.detail
    assert len(played.log) == 6


def test_an_append_that_would_pass_the_reserve_stores_nothing():
    """I2: all or nothing."""
    played = Stage(log_events=10, log_reserved=4).owned()

    refused(LimitReached, lambda: played.append(*["order.placed"] * 6))

    assert len(played.log) == 1


def test_the_reserve_takes_parks_answers_notes_and_the_end():
    """Section 9: so that a full log can still be brought to its end."""
    played = full()
    played.send()

    played.append(event("MESSAGE_CONSUMED", message_id=played.stage.store.rows.waiting(played.head.head)[0].message_id))
    played.park(timer())
    played.resume()
    played.claim()
    played.append("EXECUTION_COMPLETED")

    assert (len(played.log), played.head.status) == (10, Status.COMPLETED)
    refused(LimitReached, played.note)


def overfull(*waits: Any) -> Any:
    """A parked execution whose log has no room at all."""
    played = full()
    played.park(*waits)
    while len(played.log) < 10:
        played.note()
    return played


@pytest.mark.parametrize(
    "act",
    [
        lambda p: p.resume(),
        lambda p: p.resume(None),
        lambda p: p.send(),
        lambda p: p.cancel(),
        lambda p: p.terminate(),
        lambda p: p.fail(),
    ],
    ids=["resume", "resume with null", "send", "cancel", "terminate", "fail"],
)
def test_an_open_park_is_answered_however_full_the_log(act):
    """I12, I29: an open park yields no final refusal; a person can always resume, cancel, terminate, fail."""
    played = overfull(timer(), mail())

    act(played)

    assert played.head.status is not Status.PARKED


def test_a_full_log_can_still_be_completed_by_its_owner():
    """I29: and parked no more, which is what bounds it."""
    played = overfull(timer())
    played.resume()
    played.claim()

    refused(LimitReached, lambda: played.park(timer()))
    refused(LimitReached, lambda: played.append("order.placed"))
    played.append(event("EXECUTION_COMPLETED", 1))

    assert played.head.status is Status.COMPLETED


def test_many_outcomes_fit_into_one_answer():
    """I17: 300 children of 10 KB; the door's size limits do not apply to what the store copies."""
    stage = Stage(log_events=40, log_reserved=4, event_bytes=10_000, append_bytes=10_000)
    parent = stage.owned()
    keys = [f"k{number}" for number in range(30)]
    for key in keys:
        parent.start_child(key).claim().append(event("EXECUTION_COMPLETED", "x" * 9_000))
    parent.park(group(*keys, id="all"))

    parent.resume("all", *keys)

    assert parent.kinds.count("CHILD_OUTCOME") == 30
    assert len(parent.log) > 40


@pytest.mark.parametrize("act", [lambda p: p.resume(), lambda p: p.terminate()], ids=["resume", "terminate"])
def test_a_log_with_one_limit_for_all_is_noticed(monkeypatch, act):
    """Negative control: what answers and ends, refused like anything else."""
    monkeypatch.setattr("loom.kernel.decisions.draft.ALWAYS_FIT", frozenset())
    played = overfull(timer())

    refused(LimitReached, lambda: act(played))


@pytest.mark.parametrize(
    ("target", "check"),
    [
        ("sizes._check", lambda: test_what_is_at_a_limit_is_taken_and_a_byte_more_is_not("an event")),
        ("sizes._check", lambda: test_what_is_at_a_limit_is_taken_and_a_byte_more_is_not("an operator's failure")),
        ("draft.Draft._check_room", lambda: test_the_last_of_a_log_is_reserved_for_kernel_kinds("STEP_STARTED")),
        ("messaging._check_room", lambda: test_so_many_messages_wait_and_one_that_answers_a_park_needs_no_room()),
        ("starting._check_room", lambda: test_so_many_children_are_open_and_an_ended_one_makes_room()),
        ("owning.is_fruitless", lambda: test_so_many_fruitless_claims_and_the_next_one_blocks()),
    ],
)
def test_a_limit_taken_out_is_noticed(monkeypatch, target, check):
    """Negative control: each limit, never reached."""
    monkeypatch.setattr(f"loom.kernel.decisions.{target}", lambda *_: None)

    with pytest.raises(AssertionError):
        check()


# --- the rest


def test_so_many_messages_wait_and_one_that_answers_a_park_needs_no_room():
    """Section 9: 10,000 waiting messages, then `inbox-full`."""
    played = Stage(inbox_waiting=2).owned()
    played.send("first")
    played.send("second")

    error = refused(InboxFull, lambda: played.send("third"))
    assert "send again later" in error.detail
    played.park(mail("third", id="t"))
    assert played.send("third").resumed
    assert len(played.stage.store.rows.waiting(played.head.head)) == 2


def test_a_repeated_message_is_no_message_more():
    """I16: the first answer, however full the inbox is by now."""
    played = Stage(inbox_waiting=1).owned()
    call = played.send_call()

    assert played.stage.do(call) == played.stage.do(call)


def test_so_many_children_are_open_and_an_ended_one_makes_room():
    """Section 9: 10,000 pending children."""
    parent = Stage(children_open=1).owned()
    kid = parent.start_child("a")

    error = refused(LimitReached, lambda: parent.start_child("b"))
    assert "wait for some" in error.detail
    assert parent.start_child("a").ref == kid.ref, "a repeat is no child more"
    kid.claim().append("EXECUTION_COMPLETED")
    parent.start_child("b")


def test_a_cancel_has_a_deadline_of_its_own_or_the_stores():
    """Design 2: default 10 minutes, then terminated even under a renewed lease."""
    stage = Stage(cancel_deadline_ms=700)
    defaulted, given = stage.owned(), stage.owned()

    defaulted.cancel()
    given.cancel(deadline_ms=5)

    now = stage.clock.now()
    assert (defaulted.head.cancel_deadline, given.head.cancel_deadline) == (now + 700, now + 5)


def test_so_many_fruitless_claims_and_the_next_one_blocks():
    """I27: the ninth claim parks it on an operator, with the reason."""
    stage = Stage(fruitless_claims=2)
    played = stage.start()
    for _ in range(2):
        played.claim(ttl_ms=250)
        stage.clock.advance(60_000)

    error = refused(NotClaimable, played.claim)

    assert "2 claims in a row" in error.detail
    assert (played.head.shown, played.head.waits[0].id) == ("blocked", "blocked")
    assert played.head.grant_hash is None


@pytest.mark.parametrize("wait", [timer(1_000), child("kid"), mail(), operator()], ids=lambda wait: wait.id)
def test_no_limit_stands_in_the_way_of_a_small_execution(wait):
    """Negative control: everything in its defaults."""
    played = Stage().owned()
    played.start_child("kid")

    assert played.park(wait).park_seq == Sequence(3)
