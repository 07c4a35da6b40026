"""Steps: retries, time-outs, threads, failures as data, what a step may know of itself."""
# ruff: noqa: D103 - workflows and steps are named by what they do

import asyncio
import threading
from dataclasses import dataclass, field
from datetime import date
from string import ascii_lowercase
from typing import Any

import pytest
from pydantic import BaseModel

import loom
from loom.client.payloads import encode_value
from loom.kernel.limits import Limits
from loom.stores.memory import MemoryEventStore
from sdk.virtual import Loom, LoopClock, run_virtually


def play(workflow: Any, *args: Any, look: Any = None) -> Any:
    """Its result, or what `look` finds afterwards."""

    async def scene():
        async with Loom() as env:
            env.work(workflow)
            started = await env.client.start(workflow, *args, id="w")
            outcome = await env.client.outcome("w", timeout=1000)
            return await look(env) if look else await started.result() if outcome.status == "completed" else outcome

    return run_virtually(scene)


async def read_log(env: Loom) -> list[tuple[str, Any]]:
    return [(event.kind, event.payload.parsed()) async for event in env.client.events("w")]


def test_a_step_is_tried_again_as_its_policy_says_and_each_failure_is_in_the_log():
    """Design 6: Retry; STEP_RETRIED is recorded before the pause."""
    tries: list[float] = []

    @loom.step(retry=loom.Retry(max_attempts=3, initial=1, factor=2, jitter=False))
    async def flaky() -> str:
        tries.append(asyncio.get_running_loop().time())
        if len(tries) < 3:
            raise ConnectionError(f"try {len(tries)}")
        return "there"

    @loom.workflow
    async def patient(ctx: loom.Context) -> str:
        return await ctx.step(flaky)

    log = play(patient, look=read_log)

    assert [kind for kind, _ in log].count("STEP_RETRIED") == 2
    assert [round(later - tries[0], 1) for later in tries] == [0, 1, 3]
    assert log[-1] == ("EXECUTION_COMPLETED", "there")


def test_a_long_pause_between_attempts_is_a_park():
    """Design 6: what only waits holds no worker."""
    tries: list[int] = []

    @loom.step(retry=loom.Retry(max_attempts=2, initial=20, jitter=False))
    async def hourly() -> int:
        tries.append(1)
        if len(tries) < 2:
            raise ConnectionError
        return len(tries)

    @loom.workflow
    async def patient(ctx: loom.Context) -> int:
        return await ctx.step(hourly)

    kinds = [kind for kind, _ in play(patient, look=read_log)]

    assert kinds[1:] == [
        "STEP_STARTED",
        "STEP_RETRIED",
        "EXECUTION_SUSPENDED",
        "EXECUTION_RESUMED",
        "STEP_COMPLETED",
        "EXECUTION_COMPLETED",
    ]


@pytest.mark.parametrize("error", [loom.Fatal("no"), KeyError("no")])
def test_what_is_fatal_or_given_up_on_is_tried_once(error: Exception):
    """Field reports 3: loom.Fatal, give_up_on."""
    tries: list[int] = []

    @loom.step(retry=loom.Retry(max_attempts=9, give_up_on=(LookupError,)))
    async def hopeless() -> None:
        tries.append(1)
        raise error

    @loom.workflow
    async def once(ctx: loom.Context) -> None:
        await ctx.step(hopeless)

    outcome = play(once)

    assert (outcome.status, len(tries)) == ("failed", 1)


def test_a_failure_travels_as_type_message_details_and_traceback():
    """Design 6: failures travel as data and are raised as StepFailed."""

    class CardDeclined(Exception):
        def __init__(self) -> None:
            super().__init__("no funds")
            self.details = {"missing": 7}

    @loom.step
    async def charge() -> None:
        raise CardDeclined

    @loom.workflow
    async def pay(ctx: loom.Context) -> list[Any]:
        try:
            await ctx.step(charge)
        except loom.StepFailed as error:
            return [error.name, error.type_name, error.message, error.details, "raise CardDeclined" in error.traceback]
        return []

    assert play(pay) == ["charge", "CardDeclined", "no funds", {"missing": 7}, True]


def test_an_attempt_that_takes_too_long_is_ended_and_told_why():
    """Design 6: timeout of a step; step_ending says time-out."""
    seen: list[Any] = []

    @loom.step(timeout=1)
    async def slow() -> None:
        try:
            await asyncio.sleep(5)
        except asyncio.CancelledError:
            seen.append(loom.step_ending())
            raise

    @loom.workflow
    async def hurried(ctx: loom.Context) -> str:
        try:
            await ctx.step(slow)
        except loom.StepFailed as error:
            return error.type_name
        return ""

    assert play(hurried) == "TimeoutError"
    assert seen == ["time-out"]


def test_a_step_that_the_body_cancels_is_told_so():
    """Body-loop 5: a step in flight sees CancelledError whatever the reason; step_ending says which."""
    seen: list[Any] = []

    async def endless() -> None:
        try:
            await asyncio.sleep(10_000)
        except asyncio.CancelledError:
            seen.append(loom.step_ending())
            raise

    async def quick() -> None:
        await asyncio.sleep(0.1)

    @loom.workflow
    async def fickle(ctx: loom.Context) -> str:
        loser = asyncio.ensure_future(_wrapped(ctx.step("endless", endless)))
        await ctx.step("quick", quick)
        loser.cancel()
        return "done"

    async def _wrapped(future: Any) -> Any:
        return await future

    assert play(fickle) == "done"
    assert seen == ["cancel"]


def test_a_sync_step_runs_in_a_thread_and_knows_its_key_and_fence():
    """Design 6: `<execution>@<incarnation>/<seq>`, and the token for databases of one's own."""

    def where(ctx: loom.Context) -> list[Any]:
        return [threading.current_thread().name.startswith("loom-step"), ctx.idempotency_key, ctx.fence.shown]

    @loom.workflow
    async def curious(ctx: loom.Context) -> list[Any]:
        return await ctx.step("where", where, ctx)

    async def look(env: Loom) -> Any:
        head = await env.client.get("w")
        log = await read_log(env)
        return head.incarnation, next(form["result"] for kind, form in log if kind == "STEP_COMPLETED")

    incarnation, (in_thread, key, fence) = play(curious, look=look)

    assert (in_thread, key, fence) == (True, f"w@{int(incarnation)}/2", "1.1")


@dataclass
class Line:
    day: date
    amount: int = 0


class Order(BaseModel):
    lines: list[Line]
    tags: set[str] = field(default_factory=set)  # type: ignore[assignment]


def test_values_are_decoded_by_their_annotations():
    """Field reports 3: typed payloads with pydantic; the body gets what a replay would get."""

    @loom.step
    async def price(order: Order) -> Line:
        return Line(day=order.lines[0].day, amount=len(order.lines))

    @loom.workflow
    async def bill(ctx: loom.Context, order: Order, *, times: int = 1) -> int:
        assert isinstance(order, Order)
        line = await ctx.step(price, order)
        assert isinstance(line, Line)
        return line.amount * times

    assert play(bill, Order(lines=[Line(date(2026, 1, 2))])) == 1


def test_an_input_that_does_not_fit_fails_the_execution():
    """Design 6: an input that can never fit is a failure, not a loop of claims."""

    @loom.workflow
    async def strict(ctx: loom.Context, number: int) -> int:
        return number

    outcome = play(strict, "many")

    assert (outcome.status, outcome.payload["type"]) == ("failed", "ValidationError")


def test_a_result_over_the_limit_fails_with_a_word_on_what_to_do():
    """Issue 3: a result over 256 KiB is too large until transcripts come."""

    @loom.workflow
    async def wordy(ctx: loom.Context) -> str:
        return "x" * 300_000

    @loom.workflow
    async def wordy_step(ctx: loom.Context) -> str:
        try:
            return await ctx.step("write", lambda: "x" * 2_000_000)
        except loom.StepFailed as error:
            return error.type_name

    outcome = play(wordy)
    assert outcome.payload["type"] == "ResultTooLarge"
    assert "store it elsewhere" in outcome.payload["message"]
    assert play(wordy_step) == "ResultTooLarge"


def test_a_full_log_fails_the_execution_instead_of_being_claimed_for_ever():
    """Design 9: a limit has a message that says what to do."""

    @loom.workflow
    async def chatty(ctx: loom.Context) -> None:
        while True:
            await ctx.emit("line")

    outcome = play_in_little_room(chatty)
    assert (outcome.status, outcome.payload["type"]) == ("failed", "LimitReached")


@pytest.mark.parametrize("first", range(2, 8), ids=lambda first: f"after-{first}")
def test_each_step_of_a_filling_log_is_warned_of_once(first: int, caplog: Any):
    """Design 9: at 50 and 80 percent, whatever event reaches them: an own one, a park, an answer, a copied message."""

    @loom.workflow
    async def growing(ctx: loom.Context) -> int:
        for _ in range(first):
            await ctx.emit("line")
        for number in range(15):
            await ctx.sleep(1)
            await ctx.send(ctx.execution_id, "mail", number)
            await ctx.wait_event("mail")
        return first

    assert play_in_little_room(growing).status == "completed"

    warned = [record.getMessage() for record in caplog.records if "its log holds" in record.getMessage()]
    assert [text.partition("its log holds ")[2].partition(" events")[0] for text in warned] == [
        "50 of 100",
        "80 of 100",
    ]
    assert all("continue as new, or start another execution" in text for text in warned)


def play_in_little_room(workflow: Any) -> Any:
    """Its outcome, in a store whose logs hold 100 events, 4 of them reserved."""

    async def scene():
        env = Loom()
        env.memory = MemoryEventStore(LoopClock(), limits=Limits(log_events=100, log_reserved=4))
        env.store, env.client = env.memory, loom.Client(env.memory)
        async with env:
            env.work(workflow)
            await env.client.start(workflow, id="w")
            return await env.client.outcome("w", timeout=100)

    return run_virtually(scene)


def test_sets_have_one_form_whatever_their_order():
    """Body-loop 1.4: the digest of a set of strings must not follow the process's hash seed."""
    assert encode_value(set(ascii_lowercase)) == '["' + '","'.join(ascii_lowercase) + '"]'


def test_what_has_no_json_form_is_refused_where_it_is_given():
    """Design 6: arguments travel as JSON."""

    @loom.workflow
    async def careless(ctx: loom.Context) -> str:
        try:
            await ctx.step("x", print, object())
        except TypeError as error:
            return str(error)[:6]
        return ""

    assert play(careless) == "object"
