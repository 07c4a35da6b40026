"""The form of calls: judged before anybody looks at a row."""

from dataclasses import fields, is_dataclass, replace

import pytest

from kernel.play import SHOP, Stage, child, event, group, mail, operator, refused, timer
from loom.errors import Invalid
from loom.ids import Credential, ExecutionId, Incarnation, Nonce, Sequence, Token
from loom.kernel import calls as c
from loom.kernel.limits import YEAR_MS, Limits
from loom.kernel.raw_json import RawJson
from loom.kernel.wellformed import check_wellformed

AT = {"namespace": SHOP, "execution_id": ExecutionId("e")}
SEEN = AT | {"incarnation": Incarnation(1)}
HELD = Credential(**AT, incarnation=Incarnation(1), token=Token(2), nonce=Nonce("n" * 32))
GRANT = {"token": Token(0), "nonce": Nonce("n" * 32), "owner": "me", "ttl_ms": 1_000}
WRITTEN = (event("order.placed", 1, position=3), event("MESSAGE_CONSUMED", message_id="m", wait="w"))
WAITS = (timer(5), child("k"), group("a", policy=1), mail("paid", "k"), operator("why"))

CALLS = (
    c.Start(**AT, batch_id="k", workflow="w", queue="q", delay_ms=1, timeout_ms=1),
    c.StartChild(**AT, batch_id="k", credential=HELD, child_key="kid", workflow="w", queue="q"),
    c.Append(**AT, batch_id="k", credential=HELD, events=WRITTEN, expected_seq=Sequence(1), release=("a",)),
    c.AppendBatch(
        namespace=SHOP,
        batch_id="k",
        items=(c.AppendItem(execution_id=ExecutionId("e"), credential=HELD, events=WRITTEN),),
    ),
    c.Park(**AT, batch_id="k", credential=HELD, waits=WAITS, heard=Sequence(3)),
    c.Claim(**SEEN, **GRANT),
    c.ClaimRunnable(namespace=SHOP, queue="q", workflows=("w@0",), max=1, nonce=Nonce("n" * 32), owner="me"),
    c.Renew(**AT, credential=HELD, ttl_ms=1_000),
    c.Release(**AT, credential=HELD, delay_ms=1),
    c.Resume(**SEEN, park_seq=Sequence(2), wait="w", keys=("a",), credential=HELD, batch_id="k"),
    c.AcquireIfParked(**SEEN, park_seq=Sequence(2), **GRANT),
    c.AppendIfUnchanged(**SEEN, kind="ANNOTATED", token=Token(1), last_seq=Sequence(1), batch_id="k"),
    c.Cancel(**AT, chain="*", reason="why", deadline_ms=1, batch_id="k"),
    c.Terminate(**SEEN, reason="why", cancel_seq=Sequence(1), batch_id="k"),
    c.Fail(**SEEN, batch_id="k"),
    c.Delete(**SEEN, credential=HELD),
    c.Send(**AT, chain="*", message_id="m", name="paid", key="k", sender=HELD),
    c.SetPin(**SEEN, owner="ada", reason="why", ttl_ms=1),
    c.RemovePin(**SEEN, owner="ada"),
    c.MarkArchived(**SEEN, seq=Sequence(1)),
    c.TakeDuty(name="relay", owner="me", term=1, ttl_ms=1_000),
    c.GiveUpDuty(name="relay", owner="me", term=1),
    c.Heartbeat(instance="timers.one", role="timers", version="1", features=("redrives",)),
    c.SwitchFeature(name="redrives", on=True),
    c.ReadEvents(**AT, limit=10),
    c.ListExecutions(namespace=SHOP, workflow="w", id_prefix="e", cursor="5"),
    c.ListDue(about="overdue", grace_ms=5, cursor="5"),
    c.Attach(**AT, batch_id="k", credential=HELD, child_key="kid", child_id=ExecutionId("f"), chain="*"),
    c.ContinueAsNew(**AT, batch_id="k", credential=HELD, workflow="w", code_version="2"),
    c.Evict(**SEEN, token=Token(1), reason="why"),
    c.Send(**AT, chain="*", message_id="m", name="paid", start=c.StartIfAbsent(workflow="w", queue="q", delay_ms=1)),
)


def texts(noun, path=""):
    """Every text that Loom reads in a call, with a way to say another."""
    for field in fields(noun):
        value, where = getattr(noun, field.name), f"{path}{field.name}"
        if isinstance(value, tuple) and value and is_dataclass(value[0]):
            for number, item in enumerate(value):
                for inner, change in texts(item, f"{where}[{number}]."):
                    yield inner, _put(noun, field.name, value, number, change)
        elif is_dataclass(value):
            for inner, change in texts(value, f"{where}."):
                yield inner, lambda said, name=field.name, change=change: replace(noun, **{name: change(said)})
        elif isinstance(value, str) and not isinstance(value, RawJson) and field.name not in LITERALS:
            yield where, lambda said, name=field.name: replace(noun, **{name: said})


def _put(noun, name, items, number, change):
    return lambda said: replace(noun, **{name: (*items[:number], change(said), *items[number + 1 :])})


LITERALS = {"chain", "if_exists", "close", "scope", "by", "about", "incarnation", "policy", "on_error"}

TEXTS = [
    pytest.param(change, path, id=f"{type(call).__name__}.{path}") for call in CALLS for path, change in texts(call)
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: type(call).__name__)
def test_a_right_call_is_wellformed(call):
    """Negative control of all that follows."""
    check_wellformed(call, Limits())


def test_every_writing_call_is_tried_here():
    """Design 5: strict at the door, on every call."""
    assert set(c.WriteCall.__args__) <= {type(call) for call in CALLS}


@pytest.mark.parametrize(("change", "path"), TEXTS)
@pytest.mark.parametrize("said", ["", "a\x00b", "a\ud800b", "x" * 5_000], ids=["empty", "NUL", "surrogate", "long"])
def test_what_loom_reads_holds_no_nul_no_lone_surrogate_and_no_end_of_text(change, path, said):
    """Design 5: ids, kinds, names, keys; the refusal names the member."""
    error = refused(Invalid, lambda: check_wellformed(change(said), Limits()))

    assert error.facts["member"] == path


IDS = [call for call in CALLS if hasattr(call, "execution_id")]


@pytest.mark.parametrize("call", IDS, ids=lambda call: type(call).__name__)
@pytest.mark.parametrize("id", [".", "..", "a/b", "ä", "a b", "a\n", "x" * 256])
def test_an_id_is_a_path_part(call, id):
    """Design 5: `[A-Za-z0-9._-]{1,200}`, not `.` or `..`, refused before any write."""
    refused(Invalid, lambda: check_wellformed(replace(call, execution_id=ExecutionId(id)), Limits()))


@pytest.mark.parametrize("call", IDS, ids=lambda call: type(call).__name__)
def test_a_tilde_is_for_derived_ids_which_nobody_starts(call):
    """Design 5: `~` is reserved for derived ids, stored ids have at most 255 characters."""
    derived = replace(call, execution_id=ExecutionId("e" * 227 + "~c" + "x" * 26))

    if isinstance(call, c.Start) or getattr(call, "start", None):
        refused(Invalid, lambda: check_wellformed(derived, Limits()))
    else:
        check_wellformed(derived, Limits())


@pytest.mark.parametrize(
    "call", [call for call in CALLS if hasattr(call, "ttl_ms")], ids=lambda call: type(call).__name__
)
def test_a_lease_is_250_ms_to_24_h_and_a_pins_time_a_duration(call):
    """Section 9."""
    within, below, above = 250, 249, 24 * 3600 * 1000 + 1
    for ttl_ms in (within, above - 1):
        check_wellformed(replace(call, ttl_ms=ttl_ms), Limits())
    for ttl_ms in (below, above):
        if not isinstance(call, c.SetPin):
            refused(Invalid, lambda ttl_ms=ttl_ms: check_wellformed(replace(call, ttl_ms=ttl_ms), Limits()))


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (CALLS[0], "delay_ms"),
        (CALLS[0], "timeout_ms"),
        (c.Cancel(**AT, chain="*"), "deadline_ms"),
        (c.Release(**AT, credential=HELD), "delay_ms"),
        (c.ListDue(about="overdue"), "grace_ms"),
        (c.SetPin(**SEEN, owner="a", reason="b"), "ttl_ms"),
    ],
)
def test_a_duration_is_0_to_100_years(call, name):
    """Design 5: whole milliseconds, 0 to 100 years."""
    for right in (0, 100 * YEAR_MS):
        check_wellformed(replace(call, **{name: right}), Limits())
    for wrong in (-1, 100 * YEAR_MS + 1):
        refused(Invalid, lambda wrong=wrong: check_wellformed(replace(call, **{name: wrong}), Limits()))


@pytest.mark.parametrize("wrong", [-1, 2**63])
def test_a_number_has_63_bits(wrong):
    """H40: what a row could not hold is refused before it is looked for."""
    for call in (CALLS[2], replace(CALLS[2], expected_seq=None)):
        bad = replace(call, expected_seq=Sequence(wrong))
        refused(Invalid, lambda bad=bad: check_wellformed(bad, Limits()))
    refused(Invalid, lambda: check_wellformed(c.MarkArchived(**SEEN, seq=Sequence(wrong)), Limits()))
    refused(Invalid, lambda: check_wellformed(c.Park(**AT, batch_id="k", waits=(timer(wrong),)), Limits()))


@pytest.mark.parametrize("position", [2**63, -(2**63) - 1])
def test_a_position_has_64_bits(position):
    """I1: its order is judged behind the fence, its form at the door; a column could not hold more."""
    call = c.Append(**AT, batch_id="k", events=(event("order.placed", position=position),))

    refused(Invalid, lambda: check_wellformed(call, Limits()))


@pytest.mark.parametrize("limit", [0, 1_001, -1])
def test_a_page_is_1_to_1000(limit):
    """D: every batch has a named limit."""
    for call in (
        c.ReadEvents(**AT, limit=limit),
        c.ListDue(about="overdue", limit=limit),
        replace(CALLS[6], max=limit),
    ):
        refused(Invalid, lambda call=call: check_wellformed(call, Limits()))


@pytest.mark.parametrize("cursor", ["", "x", "-1", "1e3", "9" * 30])
def test_a_cursor_is_one_that_a_page_gave(cursor):
    """Design 5: never 500."""
    for call in (c.ListExecutions(namespace=SHOP, cursor=cursor), c.ListDue(about="overdue", cursor=cursor)):
        refused(Invalid, lambda call=call: Stage().do(call))


def test_a_workflows_name_holds_no_at():
    """Design 5, claims: `name@version` names exactly one workflow; `a@1` at version 0 and `a` at `1@0` would be one."""
    for call in (CALLS[0], CALLS[1]):
        refused(Invalid, lambda call=call: check_wellformed(replace(call, workflow="a@1"), Limits()))
        check_wellformed(replace(call, code_version="1@0"), Limits())


@pytest.mark.parametrize("nonce", ["short", "x" * 21])
def test_a_nonce_has_at_least_128_bits(nonce):
    """Design 2; H34: a bearer secret that can be guessed undoes the fence."""
    refused(Invalid, lambda: check_wellformed(replace(CALLS[5], nonce=Nonce(nonce)), Limits()))


@pytest.mark.parametrize(
    "wrong",
    [
        event("STEP_COMPLETED", message_id="m"),
        event("CHILD_OUTCOME", message_id="m"),
        event("MESSAGE_CONSUMED", child_key="k"),
        event("order.placed", wait="w"),
    ],
)
def test_an_event_names_only_what_belongs_to_its_kind(wrong):
    """Design 5: nothing a caller says is dropped in silence."""
    refused(Invalid, lambda: check_wellformed(c.Append(**AT, batch_id="k", events=(wrong,)), Limits()))


@pytest.mark.parametrize("payload", ['"\\u0000"', '"\\ud800"', "1" * 400, '{"a":1,"a":2}'])
def test_what_loom_only_carries_is_not_judged(payload):
    """Design 5: opaque, byte for byte; negative control of the rules for what Loom reads."""
    stage = Stage()
    played = stage.owned()

    played.append(event("order.placed"), replace(event("order.placed"), payload=RawJson(payload)))

    assert played.log[-1].payload == payload


def test_a_malformed_call_is_refused_whatever_it_addresses():
    """Design 5: nothing is stored, nothing is looked up."""
    stage = Stage()

    refused(Invalid, lambda: stage.start("a b"))
    refused(Invalid, lambda: stage.do(c.ReadHead(namespace=SHOP, execution_id=ExecutionId("a/b"))))

    assert not stage.store.rows.heads
