"""Claim, renew, release, acquire: one counter, several rules, and a lease that decides who may try."""

import pytest

from kernel.play import LEASE_MS, Stage, event, mail, outcome, refused, run, timer
from loom.errors import IllegalTransition, LeaseHeld, NotClaimable, NotYet, ResumeContended, Stale
from loom.ids import Token
from loom.kernel import calls as c
from loom.kernel.decisions.draft import Draft
from loom.kernel.heads import Status


def test_a_claim_is_a_compare_and_set_on_the_token_seen():
    """I24: whoever looked before another came finds another token."""
    stage = Stage()
    played = stage.start()
    played.claim()
    played.release()

    error = refused(Stale, lambda: played.claim(token=Token(0)))

    assert error.current_token == played.head.token
    assert played.claim().head.token.counter == 2


def test_a_live_lease_is_never_taken_not_even_by_its_owner():
    """I24: no reentrance; live while the expiry is greater than now, at equality dead."""
    stage = Stage()
    played = stage.owned()

    stage.clock.advance(LEASE_MS - 1)
    refused(LeaseHeld, played.claim)
    stage.clock.advance(1)
    played.claim()

    assert played.head.token.counter == 2


def test_a_lease_of_an_older_epoch_is_over_at_once():
    """H23: nothing has to be cleared, nobody waits; the next bump carries the new epoch."""
    stage = Stage()
    played = stage.owned()
    old = played.head.token

    run(stage.store.raise_epoch())
    played.claim()

    assert (played.head.token.epoch, played.head.token.counter) == (2, 2)
    assert played.head.token > old


@pytest.mark.parametrize(
    ("standing", "error"),
    [
        (lambda stage: stage.parked(), NotClaimable),
        (lambda stage: stage.ended(), NotClaimable),
        (lambda stage: stage.start(delay_ms=5), NotYet),
    ],
    ids=["parked", "ended", "delayed"],
)
def test_what_is_not_runnable_is_not_claimed(standing, error):
    """Design 2, claim: pending or running, `not_before` past."""
    stage = Stage()
    refused(error, standing(stage).claim)


def test_what_an_unknown_answer_closed_is_contended_and_can_be_terminated():
    """H19: claim, resume, cancel, acquire-if-parked are `resume-contended`; terminate works."""
    played = Stage().parked()
    played.stamp()

    for act in (played.claim, played.resume, played.cancel, played.acquire):
        assert refused(ResumeContended, act).retryable
    played.terminate()

    assert (played.head.status, played.head.unknown_tail) == (Status.CANCELLED, False)


def test_a_message_to_an_unknown_tail_waits_in_the_inbox():
    """I16: the park is not known to be open, so nothing answers it."""
    played = Stage().parked(mail())
    played.stamp()

    assert not played.send().resumed
    assert len(played.stage.store.rows.waiting(played.head.head)) == 1


# --- fruitless claims


def claim_when_due(played) -> None:
    """The next claim, after the last one's lease and back-off."""
    played.stage.clock.advance(LEASE_MS)
    played.claim(ttl_ms=250)


def test_from_the_second_fruitless_claim_in_a_row_the_next_is_delayed():
    """I27, H20: `not_before`, doubling; it bounds claims however short their leases."""
    stage = Stage()
    played = stage.start()
    delays = []
    for _ in range(5):
        claim_when_due(played)
        not_before = played.head.not_before
        delays.append(not_before - stage.clock.now() if not_before else None)

    assert delays == [None, 200, 400, 800, 1_600]
    stage.clock.advance(250)
    refused(NotYet, played.claim)


@pytest.mark.parametrize(
    "comeback",
    [
        lambda p: p.append("STEP_COMPLETED"),
        lambda p: p.append(event("MESSAGE_CONSUMED", message_id="m")),
        lambda p: p.append(event("CHILD_OUTCOME", child_key="kid")),
        lambda p: p.park(timer()),
    ],
    ids=["a step completes", "a message", "a child", "a park"],
)
def test_a_claim_from_which_something_came_back_is_not_fruitless(comeback):
    """I27: the owner's park, a step, message or child that completes set it to 0 and clear `not_before`."""
    played = Stage().start()
    played.claim()
    played.start_child("kid").terminate()
    played.send(message_id="m")
    for _ in range(3):
        claim_when_due(played)
    assert played.head.fruitless_claims == 4

    comeback(played)

    assert (played.head.fruitless_claims, played.head.not_before) == (0, None)


@pytest.mark.parametrize("kind", ["STEP_STARTED", "STEP_RETRIED", "order.placed", "EFFECT_INTENT"])
def test_what_only_began_proves_nothing(kind):
    """H20: STEP_STARTED comes before the step that kills its worker."""
    played = Stage().owned()

    played.append(kind)

    assert played.head.fruitless_claims == 1


def check_thirty_sleeps_never_block() -> None:
    """A body that only sleeps is claimed once a wake, and each wake at once."""
    stage = Stage()
    played = stage.start()
    for _ in range(30):
        played.claim()
        played.park(timer(1_000))
        stage.clock.advance(1_000)
        played.resume()
    assert played.head.shown == "runnable"


def test_thirty_sleeps_in_a_row_never_block_and_never_wait():
    """I27, H20: measured at the ninth wake elsewhere."""
    check_thirty_sleeps_never_block()


def test_a_count_that_no_park_and_no_resume_resets_is_noticed(monkeypatch):
    """Negative control: fruitless claims not reset by a park, nor by its answer."""
    kept = Draft.move
    monkeypatch.setattr(
        Draft,
        "move",
        lambda draft, **fields: kept(draft, **{k: v for k, v in fields.items() if (k, v) != ("fruitless_claims", 0)}),
    )

    assert type(outcome(check_thirty_sleeps_never_block)) in (NotYet, NotClaimable)


def test_a_release_takes_its_own_claims_count_back():
    """I27: and carries `delay_ms` for what cannot be started."""
    stage = Stage()
    played = stage.owned()
    played.release(delay_ms=700)

    assert (played.head.fruitless_claims, played.head.shown) == (0, "runnable")
    refused(NotYet, played.claim)
    stage.clock.advance(700)
    played.claim()


def test_a_blocked_execution_is_answered_by_an_operator_only():
    """Design 2, blocked is a park: an operator's resume, a cancel, fail or terminate."""
    for act in ("resume", "cancel", "fail", "terminate"):
        stage = Stage(fruitless_claims=1)
        played = stage.start()
        played.claim()
        stage.clock.advance(LEASE_MS)
        refused(NotClaimable, played.claim)
        played.park_seq = played.head.park_seq

        getattr(played, act)(*(["blocked"] if act == "resume" else []))

        assert played.head.shown in ("runnable", "failed", "cancelled")
        assert played.head.fruitless_claims == 0
    assert played.log[-1].payload.parsed()["by"] == "terminate"


def test_an_operator_named_as_the_wait_is_named_as_the_answerer():
    """2.3: `null` re-opens without satisfying a wait, and says by whom: resume, send, park, cancel or operator."""
    played = Stage().parked(timer())
    played.resume(None)
    opened = played.log[-1].payload.parsed()

    assert opened == {"wait": None, "keys": None, "by": "operator"}


# --- renew, release, acquire


def test_renew_is_for_owners_and_acquirers_and_not_for_parkers():
    """2.2: a parker cannot stretch its own lease; release it can."""
    owner, acquirer, parker = Stage().owned(), Stage().parked().acquire(), Stage().parked()

    owner.renew(500)
    acquirer.renew(500)
    refused(IllegalTransition, parker.renew)
    parker.release()

    assert owner.head.lease_until == owner.stage.clock.now() + 500
    assert (parker.head.status, parker.head.lease_until, parker.head.grant_hash) == (Status.PARKED, None, None)


def test_a_release_keeps_the_token_and_frees_the_execution():
    """F1: tokens of one id never repeat, through release too."""
    played = Stage().owned()
    token = played.head.token

    played.release()

    assert (played.head.token, played.head.shown, played.head.owner) == (token, "runnable", None)
    refused(Stale, played.release)
    assert played.claim().head.token > token


def test_the_answers_to_append_and_renew_say_that_mail_waits():
    """H14: a busy body gets its mail too."""
    played = Stage().owned()
    quiet = played.append("order.placed").waiting
    played.start_child("kid").terminate()
    played.send(message_id="m")
    played.cancel()

    told, renewed = played.append("order.placed").waiting, played.renew().waiting
    taken = played.append(event("MESSAGE_CONSUMED", message_id="m"), event("CHILD_OUTCOME", child_key="kid")).waiting

    assert quiet == c.Waiting()
    assert told == renewed == c.Waiting(messages=True, outcomes=True, cancel_seq=played.head.cancel_seq)
    assert taken == c.Waiting(cancel_seq=played.head.cancel_seq)


def test_an_acquire_needs_the_park_and_the_token_and_ignores_the_lease():
    """Design 2, acquire-if-parked: anything else is `stale` with the current token, and nothing changes."""
    stage = Stage()
    played = stage.parked()
    seen = played.head.token

    refused(Stale, lambda: played.acquire(park_seq=played.park_seq + 1))
    refused(Stale, lambda: played.acquire(token=Token(seen - 1)))
    played.acquire()
    error = refused(Stale, lambda: played.acquire(token=seen))
    played.acquire()

    assert error.current_token == seen + 1
    assert (played.head.status, played.head.owner, played.head.token) == (Status.PARKED, "engine", seen + 2)
    assert [row.rule for row in stage.do(c.ReadOwnership(**played.at)).grants] == ["claim"] + 2 * ["acquire-if-parked"]


def test_every_park_and_every_end_takes_the_grant_of_whoever_had_it():
    """I21: an answer, a terminate, an owner's end: no grant of before is valid."""
    for act in ("resume", "cancel", "terminate", "fail"):
        played = Stage().parked()
        token = played.head.token
        getattr(played, act)()
        assert (played.head.grant_hash, played.head.owner, played.head.lease_until) == (None, None, None)
        assert played.head.token == token + 1


def test_cancel_is_told_to_what_runs_and_answers_what_is_parked():
    """I57: a pending first link is cancelled at once; a second request while one is open changes nothing."""
    pending, running, parked = Stage().start(), Stage().owned(), Stage().parked(timer(1_000))

    pending.cancel()
    for played in (running, parked):
        played.cancel()
        first = played.head
        played.cancel()
        assert played.head == first

    assert (pending.head.status, running.head.status, parked.head.shown) == ("cancelled", "running", "runnable")
    assert parked.log[-1].payload.parsed() == {"wait": None, "keys": None, "by": "cancel"}


def test_a_park_with_an_unheard_cancel_answers_itself():
    """I57: the park names the request it has heard; with another it answers itself with null."""
    deaf, hearing = Stage().owned(), Stage().owned()
    for played in (deaf, hearing):
        played.cancel()

    deaf.park(timer(1_000))
    hearing.park(timer(1_000), heard=hearing.head.cancel_seq)

    assert (deaf.head.shown, hearing.head.status) == ("runnable", Status.PARKED)
    assert deaf.log[-1].payload.parsed() == {"wait": None, "keys": None, "by": "park"}


def test_a_cancel_whose_deadline_passed_is_terminated_even_under_a_renewed_lease():
    """Design 2: the sweep's terminate names the request, and is `not-yet` before."""
    stage = Stage(cancel_deadline_ms=1_000)
    played = stage.owned()
    seq = played.cancel().cancel_seq

    refused(NotYet, lambda: played.terminate(cancel_seq=seq))
    refused(IllegalTransition, lambda: played.terminate(cancel_seq=seq + 1))
    stage.clock.advance(1_000)
    played.renew()
    played.terminate(cancel_seq=seq)

    assert played.log[-1].payload.parsed()["by"] == "deadline"
    refused(Stale, played.renew)


def test_a_deadline_cancels_only_once_it_has_passed():
    """Design 2: a passed `deadline_at` becomes a request."""
    stage = Stage()
    played = stage.owned(timeout_ms=100)

    refused(NotYet, lambda: played.cancel(by="deadline"))
    refused(NotYet, lambda: Stage().owned().cancel(by="deadline"))
    stage.clock.advance(100)

    assert played.cancel(by="deadline").cancel_seq == 2
