"""Digests: what a call said, what a nonce was, what a child is called."""

from dataclasses import fields, replace

import pytest

from kernel.play import LEASE_MS, SHOP, Stage, event, group, timer
from loom.ids import Credential, ExecutionId, ExecutionRef, Incarnation, Nonce, Sequence, Token
from loom.kernel import calls as c
from loom.kernel import digests
from loom.kernel.digests import child_id, digest_of, digest_of_text, grant_hash
from loom.kernel.raw_json import RawJson, encode

AT = {"namespace": SHOP, "execution_id": ExecutionId("e")}
HELD = Credential(**AT, incarnation=Incarnation(1), token=Token(2), nonce=Nonce("n" * 32))
SEEN = AT | {"incarnation": Incarnation(1)}
WRITTEN = (event("order.placed", {"n": 1}),)

KEYED = (
    c.Start(**AT, batch_id="k", workflow="w"),
    c.StartChild(**AT, batch_id="k", child_key="kid", workflow="w"),
    c.Append(**AT, batch_id="k", events=WRITTEN),
    c.AppendBatch(namespace=SHOP, batch_id="k", items=(c.AppendItem(execution_id=AT["execution_id"], events=WRITTEN),)),
    c.Park(**AT, batch_id="k", waits=(timer(),)),
    c.Resume(**SEEN, park_seq=Sequence(2)),
    c.AppendIfUnchanged(**SEEN, kind="ANNOTATED"),
    c.Cancel(**AT, chain="*"),
    c.Terminate(**SEEN),
    c.Fail(**SEEN),
)
WHO = {"credential", "incarnation", "batch_id"}
OTHERS = {
    "input": RawJson("2"),
    "payload": RawJson("2"),
    "failure": RawJson("2"),
    "events": (event("order.placed", {"n": 2}),),
    "items": (c.AppendItem(execution_id=ExecutionId("f"), events=WRITTEN),),
    "waits": (group("a"),),
    "release": ("a",),
    "keys": ("a",),
    "recreate": True,
    "if_exists": "return",
    "close": "abandon",
    "scope": "run",
    "by": "parent",
}


def cases():
    """Each call with each of its members changed."""
    for call in KEYED:
        for field in fields(call):
            if field.name not in WHO:
                old = getattr(call, field.name)
                other = OTHERS.get(field.name) or (f"{old}x" if isinstance(old, str) else Sequence(77))
                yield pytest.param(call, replace(call, **{field.name: other}), id=f"{type(call).__name__}.{field.name}")


@pytest.mark.parametrize(("call", "other"), list(cases()))
def test_a_call_that_says_something_else_has_another_digest(call, other):
    """I3: another digest under the same key is `key-reused`."""
    assert digest_of(call) != digest_of(other)


@pytest.mark.parametrize("call", KEYED, ids=lambda call: type(call).__name__)
def test_who_says_it_is_no_part_of_a_digest(call):
    """I3: a repeat under a renewed credential is a repeat; so is one of a batch, item by item."""
    who = {"credential": HELD, "incarnation": Incarnation(5), "batch_id": "k"}
    other = replace(call, **{name: value for name, value in who.items() if hasattr(call, name)})
    if isinstance(other, c.AppendBatch):
        other = replace(other, items=tuple(replace(item, credential=HELD) for item in other.items))

    assert digest_of(other) == digest_of(call)


def test_two_calls_with_the_same_members_differ_by_their_kind():
    """I3: a terminate and a fail under one key are two calls."""
    assert digest_of(c.ReadHead(**AT)) != digest_of(c.ReadWhy(**AT))


def test_payloads_that_mean_the_same_are_not_the_same():
    """A4: Loom carries text; it never parses what it carries."""
    spelled = [replace(KEYED[2], events=(replace(WRITTEN[0], payload=RawJson(text)),)) for text in ("1", "1.0", " 1")]

    assert len({digest_of(call) for call in spelled}) == 3


def test_a_digest_takes_any_text_that_a_store_may_carry():
    """A4: lone surrogates in an escape, and none raw in UTF-8."""
    assert digest_of_text("\ud800") != digest_of_text("\ud801")


def test_a_nonce_is_kept_as_a_hash_and_shown_nowhere():
    """Design 2: it appears in no answer but the claim's, no log, trace, event or timeline."""
    stage = Stage()
    played = stage.owned()
    nonce = played.credential.nonce
    played.append("order.placed")

    shown = [played.head, played.log, stage.do(c.ReadOwnership(**played.at)), stage.do(c.ReadWhy(**played.at))]

    assert nonce not in encode(shown)
    assert grant_hash(nonce) not in encode(shown)
    assert nonce not in repr(played.credential)
    assert played.head.grant_hash == grant_hash(nonce) != nonce


def test_the_claims_answer_holds_the_nonce():
    """Negative control of the test above."""
    stage = Stage()
    call = stage.start().claim_call(ttl_ms=LEASE_MS)

    assert call.nonce in encode(stage.do(call))


def ref(id: str = "e", incarnation: int = 1, namespace: str = "shop") -> ExecutionRef:
    """A parent."""
    return ExecutionRef(
        namespace=c.Namespace(namespace), execution_id=ExecutionId(id), incarnation=Incarnation(incarnation)
    )


def test_a_childs_id_is_its_parents_cut_and_a_hash():
    """Design 2: `<parent, cut to 190 characters>~c<26 characters>`; stored ids have at most 255."""
    short, long = child_id(ref(), "kid"), child_id(ref("e" * 255), "kid")

    assert short.startswith("e~c")
    assert len(short) == 1 + 2 + 26
    assert (long[:192], len(long)) == ("e" * 190 + "~c", 218)


def test_a_childs_id_differs_by_parent_incarnation_and_key():
    """I39: a re-created parent starts children of its own."""
    ids = {
        child_id(ref(), "kid"),
        child_id(ref(incarnation=2), "kid"),
        child_id(ref(), "other"),
        child_id(ref("f"), "kid"),
        child_id(ref(namespace="other"), "kid"),
    }
    cut = {child_id(ref("e" * 190 + tail), "kid") for tail in ("a", "b")}

    assert (len(ids), len(cut)) == (5, 2)


def test_a_childs_id_is_the_same_each_time():
    """I39: a replayed parent asks for the same child."""
    assert child_id(ref(), "kid") == "e~c" + child_id(ref(), "kid")[3:] == child_id(ref(), "kid")


def test_a_member_left_at_its_default_is_no_part_of_a_digest():
    """I3: a repeat is known across an upgrade that added a member; one that is said is part of what was said."""
    call = c.Cancel(**AT, chain="*")

    assert "deadline_ms" not in str(digests._said(call))
    assert digest_of(call) == digest_of(c.Cancel(**AT, chain="*", deadline_ms=None))
    assert digest_of(call) != digest_of(c.Cancel(**AT, chain="*", deadline_ms=0))
