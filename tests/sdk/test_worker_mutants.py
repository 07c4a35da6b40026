"""A worker broken on purpose: the sentence that says so turns red. What no fault turns red checks nothing."""
# ruff: noqa: D103 - faults are named by what is wrong

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from loom.client import payloads
from loom.errors import ExecutionFailed, NonDeterminism
from loom.kernel import calls as c
from loom.worker import commands, groups
from loom.worker.attempts import Attempts
from loom.worker.lease import Renewals
from loom.worker.owned_log import OwnedLog
from loom.worker.replay import Body
from loom.worker.run import Run
from loom.worker.runner import Worker
from sdk import test_replay_laws as laws
from sdk import test_worker_claims as claims
from sdk import test_worker_endings as endings
from sdk import test_worker_renewals as renewals
from sdk import test_worker_steps as steps
from sdk import test_worker_waits as waits
from sdk.programs import Op, play
from sdk.virtual import run_virtually

RACE: list[Op] = [("gather", [[("step", "a"), ("step", "b")], [("step", "a")], [("step", "b"), ("step", "a")]])]

Patch = Callable[[pytest.MonkeyPatch], None]


def check_race(at: int = 0, act: str = "") -> None:
    laws.check_replay(RACE, run_virtually(lambda: play(RACE, seed=5, at=at, act=act)))


def check_race_with_a_cancel_at_every_write() -> None:
    for at in range(1, 12):
        check_race(at, "cancel")


def check_race_failing_at_every_write() -> None:
    for at in range(1, 12):
        played = run_virtually(lambda at=at: play(RACE, seed=5, at=at, act="fail"))
        laws.check_paid_once(played)


def check_one_is_set_aside() -> None:
    with pytest.MonkeyPatch.context() as patch:
        claims.test_a_bug_of_the_worker_sets_one_execution_aside_and_no_other(patch)


def others_events_are_given_after_mine(patch: pytest.MonkeyPatch) -> None:
    async def append(log: OwnedLog, *events: Any, release: Any = ()) -> Any:
        answer = await log.write(*events, release=release)
        before = log.last_seq
        await log.give([log._as_recorded(event, answer.first_seq + nth) for nth, event in enumerate(events)])
        log.last_seq = before
        others = await log._store.read_events(replace(log._reading(1), limit=max(1, answer.first_seq - before - 1)))
        await log.give([event for event in others.events if event.seq < answer.first_seq])
        log.last_seq = answer.last_seq
        return answer.first_seq

    patch.setattr(OwnedLog, "append", append)


def completions_are_given_in_pairs(patch: pytest.MonkeyPatch) -> None:
    given = [0]
    run = Body.run

    def run_sometimes(body: Body) -> None:
        given[0] += 1
        if asyncio._get_running_loop() is not None or given[0] % 3 == 0:  # in the test's replay, not in the first run
            run(body)

    patch.setattr(Body, "run", run_sometimes)


def completions_are_forgotten(patch: pytest.MonkeyPatch) -> None:
    end = Body._end_command

    def forget(body: Body, event: Any, payload: Any) -> None:
        if not event.recorded_at or payload["type"] != "step":  # just written, not read from a log
            end(body, event, payload)

    patch.setattr(Body, "_end_command", forget)


def arguments_have_no_digest(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(commands, "digest_value", lambda value: "same")


def sets_keep_their_order(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(payloads, "sorted", lambda items, key: list(items)[::-1], raising=False)


def a_poll_is_repeated_with_a_fresh_nonce(patch: pytest.MonkeyPatch) -> None:
    poll = Worker._poll

    async def forgetful(worker: Worker, free: int) -> c.Claims:
        while True:
            try:
                return await asyncio.wait_for(poll(worker, free), 0.001)
            except TimeoutError:
                continue

    patch.setattr(Worker, "_poll", forgetful)


def the_claim_loop_ends(patch: pytest.MonkeyPatch) -> None:
    async def give_up(worker: Worker, error: Exception, attempt: int) -> None:
        raise error

    patch.setattr(Worker, "_pause_after", give_up)


def surfaces_are_not_compared(patch: pytest.MonkeyPatch) -> None:
    async def trust(worker: Worker) -> None: ...

    patch.setattr(Worker, "_check_surfaces", trust)


def a_bug_ends_the_worker(patch: pytest.MonkeyPatch) -> None:
    async def dispatch(worker: Worker, claimed: Any, asked_at: float, around: Any) -> None:
        await Run(worker._workflows["hello@0"], claimed, asked_at, around)._attend()

    patch.setattr(Worker, "_dispatch", dispatch)


def a_deploy_looks_like_a_cancel(patch: pytest.MonkeyPatch) -> None:
    end_all = Attempts.end_all
    patch.setattr(Attempts, "end_all", lambda attempts, ending: end_all(attempts, "cancel"))


def a_drain_does_not_wait(patch: pytest.MonkeyPatch) -> None:
    async def leave(run: Run, ending: Any) -> None: ...

    patch.setattr(Run, "_land", leave)


def a_blocked_park_does_not_hear(patch: pytest.MonkeyPatch) -> None:
    park = OwnedLog.park
    patch.setattr(OwnedLog, "park", lambda log, waits, heard: park(log, waits, None))


def poison_is_not_looked_at(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Body, "run", lambda body: body.loop.run_until_idle())


def a_body_that_waits_for_itself_just_waits(patch: pytest.MonkeyPatch) -> None:
    async def wait(run: Run, reason: str) -> Any:
        await asyncio.sleep(1000)

    patch.setattr(Run, "_block_because", wait)


def a_busy_owner_does_not_look(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(OwnedLog, "take_news", lambda log: c.Waiting())


def a_group_waits_for_every_member(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(groups, "is_met", lambda policy, on_error, arrivals, members: len(arrivals) == members)


def losers_are_kept(patch: pytest.MonkeyPatch) -> None:
    append = OwnedLog.append
    patch.setattr(OwnedLog, "append", lambda log, *events, release=(): append(log, *events))


def whoever_overslept_just_goes_on(patch: pytest.MonkeyPatch) -> None:
    async def renew(self: Renewals, lease: Any) -> None: ...

    patch.setattr(Renewals, "renew", renew)


def a_lease_counts_from_the_answer(patch: pytest.MonkeyPatch) -> None:
    async def keep(self: Renewals, lease: Any) -> None:
        while await self._renew(lease):
            lease.good_until = asyncio.get_running_loop().time() + lease.ttl_ms / 1000 + 0.1
            await asyncio.sleep(lease.ttl_ms / 3000)

    patch.setattr(Renewals, "_keep", keep)


def contended_is_refused(patch: pytest.MonkeyPatch) -> None:
    async def call(log: OwnedLog, method: Any, argument: Any) -> Any:
        log.check_owned()
        return await method(argument)

    patch.setattr(OwnedLog, "call", call)


def what_is_left_open_goes_on(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Body, "leave", lambda body: None)


MUTANTS: list[tuple[Patch, Callable[[], Any]]] = [
    (others_events_are_given_after_mine, check_race_with_a_cancel_at_every_write),
    (completions_are_given_in_pairs, check_race),
    (completions_are_forgotten, check_race_failing_at_every_write),
    (arguments_have_no_digest, endings.test_a_changed_body_is_blocked_with_what_was_expected_what_it_did_and_where),
    (sets_keep_their_order, steps.test_sets_have_one_form_whatever_their_order),
    (
        a_poll_is_repeated_with_a_fresh_nonce,
        claims.test_a_poll_whose_answer_was_lost_is_repeated_with_its_nonce_and_gets_what_it_claimed,
    ),
    (a_bug_ends_the_worker, check_one_is_set_aside),
    (the_claim_loop_ends, lambda: claims.check_the_loop_goes_on(OSError())),
    (surfaces_are_not_compared, lambda: claims.test_a_worker_refuses_a_store_whose_surfaces_it_does_not_know(())),
    (a_deploy_looks_like_a_cancel, endings.test_a_step_that_outlasts_the_drain_is_told_and_runs_again_elsewhere),
    (a_drain_does_not_wait, endings.test_a_draining_worker_records_its_running_steps_and_the_next_goes_on),
    (a_blocked_park_does_not_hear, endings.test_a_cancel_of_a_blocked_body_is_tried_once_and_does_not_spin),
    (poison_is_not_looked_at, endings.test_what_is_not_replay_safe_blocks_even_when_the_body_swallows_it),
    (a_body_that_waits_for_itself_just_waits, endings.test_a_body_that_waits_for_itself_is_blocked),
    (a_busy_owner_does_not_look, waits.test_a_busy_body_gets_its_mail_too),
    (a_group_waits_for_every_member, waits.test_the_losers_of_any_are_released),
    (a_group_waits_for_every_member, lambda: waits.test_all_raises_the_first_error_at_once("busy")),
    (a_group_waits_for_every_member, lambda: waits.test_all_raises_the_first_error_at_once("awaitables")),
    (losers_are_kept, waits.test_the_losers_of_any_are_released),
    (whoever_overslept_just_goes_on, endings.test_a_process_that_overslept_renews_before_it_writes_anything),
    (a_lease_counts_from_the_answer, renewals.test_a_lease_is_renewed_at_once_and_then_at_each_third),
    (contended_is_refused, endings.test_what_is_contended_is_tried_again_with_the_same_key),
    (
        what_is_left_open_goes_on,
        endings.test_what_is_left_open_when_the_body_returns_is_cancelled_and_what_was_asked_last_still_happens,
    ),
]


@pytest.mark.parametrize(("patch", "check"), MUTANTS, ids=lambda part: getattr(part, "__name__", ""))
def test_a_fault_turns_its_sentence_red(patch: Patch, check: Callable[[], Any], monkeypatch: pytest.MonkeyPatch):
    """Invariants 0.12: every test has a mutant that must fail it."""
    check()

    patch(monkeypatch)

    with pytest.raises((AssertionError, TimeoutError, NonDeterminism, ExecutionFailed, pytest.fail.Exception)):
        check()
