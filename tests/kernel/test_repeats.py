"""Repeats: a call is recognised by what it wrote."""

from dataclasses import replace

import pytest

from kernel.play import LEASE_MS, SHOP, Played, Stage, event, mail, refused, run, timer
from loom.errors import AlreadyExists, Deleted, IllegalTransition, KeyReused, LeaseHeld, NotClaimable, Stale
from loom.ids import Incarnation
from loom.kernel import calls as c
from loom.kernel.digests import grant_hash
from loom.kernel.heads import Status
from loom.kernel.raw_json import RawJson


def batch(key: str, *played: Played) -> c.AppendBatch:
    """One event for each."""
    items = tuple(
        c.AppendItem(execution_id=each.ref.execution_id, credential=each.credential, events=(event("order.placed"),))
        for each in played
    )
    return c.AppendBatch(namespace=SHOP, batch_id=key, items=items)


def test_a_batch_under_a_used_key_with_other_members_is_another_call():
    """I2, I3: a batch is all or nothing, so it is recognised as a whole; nothing of it is written."""
    stage = Stage()
    a, b, other = stage.owned(), stage.owned(), stage.owned()
    first = stage.do(batch("k", a, b))

    refused(KeyReused, lambda: stage.do(batch("k", a, other)))
    refused(KeyReused, lambda: stage.do(batch("k", a)))
    refused(KeyReused, lambda: a.append("order.placed", batch_id="k"))

    assert stage.do(batch("k", a, b)) == first
    assert other.kinds == ["EXECUTION_STARTED"]


def test_a_batch_that_looks_at_each_part_alone_is_noticed(monkeypatch):
    """Negative control of the test above: the digest of the part instead of the whole."""
    monkeypatch.setattr("loom.kernel.decisions.repeats.digest_of", lambda call: "")
    monkeypatch.setattr("loom.kernel.decisions.appending.digest_of", lambda call: "")

    with pytest.raises(AssertionError):
        test_a_batch_under_a_used_key_with_other_members_is_another_call()


def test_keys_of_another_execution_are_not_told():
    """I3, I22: looked up by the incarnation that the call names, under the id that it addresses."""
    stage = Stage()
    mine, secret = stage.owned(), stage.owned()
    secret.append("order.placed", batch_id="k")

    borrowed = replace(mine.credential, incarnation=secret.ref.incarnation)

    refused(Stale, lambda: mine.append("order.placed", batch_id="k", credential=borrowed))


def test_a_key_looked_up_under_any_id_is_noticed(monkeypatch):
    """Negative control of the test above."""
    monkeypatch.setattr("loom.kernel.decisions.repeats.is_link_of", lambda head, call: True)

    with pytest.raises(AssertionError):
        test_keys_of_another_execution_are_not_told()


def test_a_start_repeated_gets_its_first_answer_however_far_it_went():
    """I3: exactly one effect and the same answer."""
    stage = Stage()
    call = c.Start(namespace=SHOP, execution_id="e", batch_id="k", workflow="w", queue="q")
    first = stage.do(call)
    played = Played(stage, first.execution, first.chain).claim()
    played.append("EXECUTION_COMPLETED")

    assert stage.do(call) == first
    refused(KeyReused, lambda: stage.do(replace(call, input=RawJson("1"))))
    refused(KeyReused, lambda: stage.do(replace(call, if_exists="return")))
    refused(AlreadyExists, lambda: stage.do(replace(call, batch_id="other")))


def test_a_start_on_a_tombstone_needs_recreate_and_never_repeats():
    """I5, H48: a late retry of a root's start would run it a second time."""
    stage = Stage()
    call = c.Start(namespace=SHOP, execution_id="e", batch_id="k", workflow="w", queue="q")
    first = stage.do(call)
    ended = Played(stage, first.execution, first.chain)
    ended.terminate()
    ended.delete()

    refused(Deleted, lambda: stage.do(call))
    again = stage.do(replace(call, recreate=True))

    assert again.execution.incarnation != first.execution.incarnation
    assert again.token == ended.stage.store.rows.heads[1].token > first.token, "I19: a tombstone's token goes on"


def test_a_childs_tombstone_is_started_again_by_nobody_else():
    """Design 2, start: a child's tombstone only by its parent's start; its key answers with the child there was."""
    stage = Stage()
    parent = stage.owned()
    kid = parent.start_child("kid")
    kid.terminate()
    parent.append(event("CHILD_OUTCOME", child_key="kid"))
    kid.delete()

    assert parent.start_child("kid").ref == kid.ref
    assert kid.head.status is Status.DELETED


def test_a_claim_repeated_gets_the_same_grant_while_it_holds():
    """I24, F3: the same nonce; a new claim by the same owner does not."""
    stage = Stage()
    played = stage.start()
    call = played.claim_call()
    first = stage.do(call)

    assert stage.do(call) == first
    refused(LeaseHeld, lambda: played.claim(token=first.credential.token))
    refused(LeaseHeld, lambda: stage.do(replace(call, nonce=stage.nonce())))


@pytest.mark.parametrize("end", ["expired", "released", "older epoch", "parked"])
def test_a_grant_that_is_over_is_not_given_again(end):
    """Law 5: a lease that ran out is dead even before anybody took over; it must be claimed again."""
    stage = Stage()
    played = stage.start()
    call = played.claim_call()
    played.credential = stage.do(call).credential
    {
        "expired": lambda: stage.clock.advance(LEASE_MS),
        "released": lambda: played.release(),
        "older epoch": lambda: run(stage.store.raise_epoch()),
        "parked": lambda: played.park(timer(1_000)),
    }[end]()

    refused(NotClaimable if end == "parked" else Stale, lambda: stage.do(call))


@pytest.mark.parametrize("end", ["expired", "older epoch"])
def test_a_dead_grant_given_again_is_noticed(monkeypatch, end):
    """Negative control of the test above: the nonce alone tells the repeat."""
    monkeypatch.setattr(
        "loom.kernel.decisions.owning.is_repeat",
        lambda head, call, moment: head.grant_hash == grant_hash(call.nonce),
    )

    with pytest.raises(AssertionError):
        test_a_grant_that_is_over_is_not_given_again(end)


@pytest.mark.parametrize("end", ["expired", "older epoch", "released"])
def test_an_acquired_park_is_repeated_while_the_grant_holds(end):
    """H10: an acquire retried blindly burns tokens; one whose grant is over is told the token that is current."""
    stage = Stage()
    played = stage.parked()
    call = played.acquire_call()
    first = stage.do(call)
    assert stage.do(call) == first

    played.credential = first.credential
    {
        "expired": lambda: stage.clock.advance(LEASE_MS),
        "older epoch": lambda: run(stage.store.raise_epoch()),
        "released": played.release,
    }[end]()
    error = refused(Stale, lambda: stage.do(call))

    assert error.current_token == first.credential.token


def test_a_polls_repeat_answers_what_it_still_holds_and_no_more():
    """Design 5, claims: neither what it parked meanwhile, nor another queue's, nor what ran out."""
    stage = Stage()
    kept, parked = stage.start(), stage.start()
    call = c.ClaimRunnable(
        namespace=SHOP, queue="default", workflows=("w@0",), max=5, nonce=stage.nonce(), owner="me", ttl_ms=1_000
    )
    first = stage.do(call)
    parked.credential = first.items[1].credential
    parked.park(timer(1_000))

    assert [claimed.head.execution_id for claimed in stage.do(call).items] == [kept.ref.execution_id]
    assert stage.do(replace(call, queue="other")).items == ()
    stage.clock.advance(1_000)
    assert [claimed.head.token for claimed in stage.do(call).items] == [first.items[0].head.token + 1]


def test_a_message_repeated_gets_its_first_answer_also_from_a_sender_that_is_gone():
    """I16: a repeated send gets the first answer, also after the receiver ended; another content is refused."""
    stage = Stage()
    sender, receiver = stage.owned(), stage.parked(mail())
    call = receiver.send_call(sender=sender.credential)
    first = stage.do(call)
    stage.clock.advance(LEASE_MS)
    receiver.terminate()

    assert stage.do(call) == first
    refused(KeyReused, lambda: stage.do(replace(call, payload=RawJson("1"))))
    refused(Stale, lambda: stage.do(replace(call, message_id="another")))


def test_a_resume_repeated_is_told_by_its_key_and_not_by_its_park():
    """I9: whoever comes second, and is no repeat, is told so."""
    stage = Stage()
    played = stage.parked()
    call = played.resume_call()
    first = stage.do(call)
    played.claim()
    played.append("EXECUTION_COMPLETED")

    assert stage.do(call) == first
    refused(KeyReused, lambda: stage.do(replace(call, wait=None)))


@pytest.mark.parametrize("kind", ["terminate", "fail"])
def test_an_operators_end_repeated_gets_its_first_answer(kind):
    """I3: recognised by what it wrote."""
    played = Stage().owned()
    act = getattr(played, kind)

    first = act(batch_id="k")

    assert act(batch_id="k") == first
    assert len(played.log) == 2


def test_a_key_is_the_incarnations_own():
    """I48: a re-created id takes the key as a new call's."""
    stage = Stage()
    first = stage.single(id="e")
    first.append("order.placed", batch_id="k")
    first.terminate()
    first.delete()
    second = stage.single(id="e", recreate=True)

    second.append("order.seen", batch_id="k")

    assert second.ref.incarnation != Incarnation(first.ref.incarnation)
    assert second.kinds == ["EXECUTION_STARTED", "order.seen"]


def test_a_message_named_twice_in_one_append_is_consumed_once():
    """I16: exactly once in the whole chain; the append that says it twice writes nothing."""
    played = Stage().owned()
    played.send(message_id="m")
    twice = [event("MESSAGE_CONSUMED", message_id="m")] * 2

    refused(IllegalTransition, lambda: played.append(*twice))
    played.append(twice[0])

    assert played.kinds.count("MESSAGE_CONSUMED") == 1
