"""What a worker does under one grant: replay the log, run the body, record one thing after another, park or settle."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Iterable
from concurrent.futures import Executor
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import Any

from loom.client.failures import describe, describe_exception
from loom.client.payloads import encode_value
from loom.errors import (
    Continuation,
    Invalid,
    NonDeterminism,
    NotReplaySafe,
    OwnershipLost,
    Refused,
    TooLarge,
)
from loom.ids import ExecutionId, Instant
from loom.kernel import calls as c
from loom.kernel.events import NewEvent
from loom.kernel.kinds import EventKind
from loom.kernel.limits import Limits
from loom.kernel.parks import Operator, OperatorWait
from loom.kernel.raw_json import NULL, RawJson, encode
from loom.stores.event_store import EventStore
from loom.worker import facts
from loom.worker.attempts import Attempts, Flight
from loom.worker.commands import (
    AttachChild,
    AwaitChild,
    AwaitGroup,
    AwaitMessage,
    BeginChild,
    Beginning,
    Command,
    Emit,
    Recorded,
    RunStep,
    SendMessage,
    Sleep,
)
from loom.worker.lease import Renewals
from loom.worker.owned_log import OwnedLog, Unwritable, in_callback
from loom.worker.registry import Workflow
from loom.worker.replay import Body
from loom.worker.steps import StepEnding
from loom.worker.trail import Trail

PAUSE_MAX_MS = 5_000  # a longer pause between attempts, beside nothing else, is a park
SET_ASIDE_MS = 10_000  # the last lease of what failed for a reason of the worker's own
BYTES_SPARED = 1_000  # of the limit of an event, for what stands around a step's result
PROSE_CHARS_MAX = 1_000
GRACE_S = 1.0  # for steps that were told to end

logger = logging.getLogger(__name__)


class Ending(StrEnum):
    """How a run ended."""

    PARKED = "parked"
    SETTLED = "settled"  # the execution has ended
    BLOCKED = "blocked"
    LOST = "lost"
    RELEASED = "released"
    SET_ASIDE = "set-aside"  # by a fault that nobody foresaw


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What all runs of a worker share."""

    store: EventStore
    renewals: Renewals
    limits: Limits
    threads: Executor | None
    rng: Random
    ttl_ms: int
    drain_ms: int


class Run:
    """One grant of one execution, from the claim to its end. The body meets its events in the order of the log."""

    def __init__(self, workflow: Workflow[..., Any], claimed: c.Claimed, asked_at: float, around: Surroundings) -> None:
        self._around = around
        self._store = around.store
        self._own = claimed.credential
        self._queue = claimed.head.queue
        self._body = Body(workflow, claimed.head.ref)
        self._trail = Trail(claimed)
        self._log = OwnedLog(
            around.store,
            claimed,
            self._body,
            renewals=around.renewals,
            limits=around.limits,
            rng=around.rng,
            ttl_ms=around.ttl_ms,
            good_until=asked_at + claimed.ttl_ms / 1000,
            trail=self._trail,
        )
        self._attempts = Attempts(claimed.credential, around.threads, self._log.wake)
        # The store's clock, read off the claim: the deadlines of sleeps that do not park are written on it.
        self._clock_offset_ms = claimed.lease_until - claimed.ttl_ms - _loop_ms()
        self._waits: dict[str, Command] = {}  # in order of asking
        self._pauses: dict[str, Command] = {}  # steps between two attempts
        self._asked_at: dict[str, Instant] = {}  # of sleeps that have no deadline in the log
        self._unwanted: set[str] = set()  # children that a group left behind; the next append releases them
        self._stopping = False

    def stop(self) -> None:
        """Drain: the body stops at once, running steps are recorded, then the grant is released."""
        self._stopping = True
        self._log.wake.set()

    async def attend(self) -> Ending:
        """Do all that this grant can do. Raises nothing but a cancellation of the worker's own task."""
        ending, loss = Ending.LOST, None
        self._log.hold()
        try:
            ending = await self._attend()
        except OwnershipLost as lost:
            logger.warning("OwnershipLost: %s: %s", self._own, lost)
            loss = lost
        except Exception:
            logger.exception("%s is set aside for %d ms", self._own, SET_ASIDE_MS)
            ending = await self._set_aside()
        finally:
            self._log.let_go()
            self._attempts.end_all("detached")
            await in_callback(self._body.loop.detach)
            self._trail.end(ending, loss)
        return ending

    async def _attend(self) -> Ending:
        try:
            await self._replay()
            return await self._advance()
        except (NonDeterminism, NotReplaySafe) as error:
            return await self._block(error)
        except Unwritable as error:
            return await self._end(_failed(error.__cause__ or error))

    async def _replay(self) -> None:
        """What was done before is done again without a span; the segment's begins behind it."""
        try:
            await self._log.read_to()
        finally:
            self._trail.begin(self._now())

    async def _set_aside(self) -> Ending:
        """Leave it to a short lease instead of releasing it: the claim was fruitless, and too many in a row block."""
        self._log.let_go()
        try:
            await self._log.renew(SET_ASIDE_MS)
        except Exception as error:
            logger.warning("%s is left to its lease: %s", self._own, error)
        return Ending.SET_ASIDE

    async def _advance(self) -> Ending:
        """One thing at a time, then look again (body-loop 1.3)."""
        while True:
            self._log.wake.clear()
            self._log.check_owned()
            self._trail.go_on(self._now())
            self._forget_closed()
            if self._stopping:
                return await self._drain()
            if self._log.has_unheard_cancel():
                await self._log.read_to()
            elif self._body.done:
                return await self._settle()
            elif fresh := self._body.take_fresh():
                await self._start(fresh)
            elif await self._fire_due() or await self._consume():
                continue
            elif self._attempts.ended:
                await self._record(self._attempts.ended.popleft())
            elif self._is_busy():
                await self._wait_until(self._next_due())
            else:
                return await self._park()

    # Commands begin.

    async def _start(self, fresh: list[Command]) -> None:
        """Record the beginnings in order of asking, then begin, but for what the body has turned away from by then."""
        for command in fresh:
            self._remember_wait(command)
        for events in _batched(list(self._beginnings(fresh)), self._around.limits):
            await self._append(*events)
        for command in fresh:
            if command.open and not self._stopping:
                await self._begin(command)

    def _remember_wait(self, command: Command) -> None:
        if isinstance(command.request, Sleep | AwaitMessage | AwaitChild | AwaitGroup):
            self._waits[command.id] = command
            self._log.is_news = True
            if isinstance(command.request, Sleep) and command.wake_at is None:
                self._asked_at[command.id] = self._now()

    def _beginnings(self, fresh: list[Command]) -> Iterable[tuple[NewEvent, ...]]:
        now = self._now()
        for command in fresh:
            if isinstance(command.request, Emit):
                yield facts.emitted(command, now)
            elif isinstance(command.request, Recorded) and command.started_seq is None:
                yield (facts.step_started(command),)
        if self._is_busy() or any(isinstance(command.request, RunStep) for command in fresh):
            for id in self._asked_at:
                command = self._waits[id]
                if command.wake_at is None:
                    yield (facts.sleep_started(command, self._due_at(command)),)

    async def _begin(self, command: Command) -> None:
        match command.request:
            case RunStep() if command.retry_at is not None and command.retry_at > self._now():
                self._pauses[command.id] = command
            case RunStep():
                self._attempts.launch(command)
            case SendMessage():
                await self._send(command, command.request)
            case BeginChild() | AttachChild():
                await self._begin_child(command, command.request)

    async def _send(self, command: Command, request: SendMessage) -> None:
        call = c.Send(
            namespace=self._own.namespace,
            execution_id=ExecutionId(request.execution_id),
            chain="*",
            message_id=request.message_id or self._effect_key(command),
            name=request.name,
            key=request.key,
            payload=request.payload,
            sender=self._own,
        )
        try:
            await self._log.call(self._store.send, call)
        except (Refused, Invalid) as error:
            await self._append(facts.failed(command, describe_exception(error), self._now()))
        else:
            await self._append(facts.completed(command, self._now()))

    async def _begin_child(self, command: Command, request: Beginning) -> None:
        """A key that has a child already, as one that came along from the link before, ends with that child."""
        try:
            started = await self._ask_for_child(command, request)
        except (Refused, Invalid) as error:
            await self._append(facts.failed(command, describe_exception(error), self._now()))
            return
        if started.seq is None:
            await self._append(facts.completed(command, self._now(), encode(started.child)))
        else:
            payload = {"key": request.key, "child": started.child, "workflow": request.workflow}
            await self._log.give_written(EventKind.CHILD_STARTED, encode(payload), started.seq)

    async def _ask_for_child(self, command: Command, request: Beginning) -> c.ChildStarted:
        own, key = self._own, self._effect_key(command)
        if isinstance(request, AttachChild):
            attach = c.Attach(
                namespace=own.namespace,
                execution_id=own.execution_id,
                credential=own,
                batch_id=key,
                child_key=request.key,
                child_id=ExecutionId(request.execution_id),
                chain="*",
                close=request.close,
                scope=request.scope,
            )
            return await self._log.call(self._store.attach, attach)
        start = c.StartChild(
            namespace=own.namespace,
            execution_id=own.execution_id,
            credential=own,
            batch_id=key,
            child_key=request.key,
            workflow=request.workflow,
            code_version=request.version,
            queue=request.queue,
            input=request.input,
            close=request.close,
            scope=request.scope,
            delay_ms=request.delay_ms,
            timeout_ms=request.timeout_ms,
        )
        return await self._log.call(self._store.start_child, start)

    def _effect_key(self, command: Command) -> str:
        """The same for every try at this command, and no other's: an incarnation has each sequence once."""
        return f"{int(self._own.incarnation)}/{command.started_seq}"

    async def _append(self, *events: NewEvent) -> None:
        release, self._unwanted = tuple(sorted(self._unwanted)), set()
        await self._log.append(*events, release=release)

    # What comes back.

    async def _record(self, flight: Flight) -> None:
        event = self._told_by(flight)
        if event is not None:
            await self._append(event)
            if flight.command.open:
                self._pauses[flight.command.id] = flight.command

    def _told_by(self, flight: Flight) -> NewEvent | None:
        """What the end of an attempt says in the log. One that was cut off by a leaving worker says nothing."""
        command, ending, now = flight.command, flight.attempt.ending, self._now()
        if flight.task.cancelled():
            cut_off = describe("Cancelled", f"the step was ended: {ending or 'by itself'}")
            return None if ending == "detached" else facts.failed(command, cut_off, now)
        error = flight.task.exception()
        if error is None:
            return self._result_of(command, flight.task.result(), now)
        assert isinstance(command.request, RunStep)
        retry, number = command.request.step.retry, flight.attempt.number
        if command.future.done() or retry.is_over(number, error):
            return facts.failed(command, describe_exception(error), now)
        retry_at = Instant(now + retry.pause_ms(number, self._around.rng))
        return facts.retried(command, number, describe_exception(error), now, retry_at)

    def _result_of(self, command: Command, result: Any, now: Instant) -> NewEvent:
        try:
            return facts.completed(command, now, _encode(result, self._around.limits.event_bytes - BYTES_SPARED))
        except Exception as error:  # a class may run code of the author's to be encoded
            return facts.failed(command, describe_exception(error), now)

    async def _fire_due(self) -> bool:
        """Begin attempts whose pause is over; end the sleep that is due first, if any is."""
        now = self._now()
        due = [command for command in self._pauses.values() if command.retry_at is None or command.retry_at <= now]
        for command in due:
            del self._pauses[command.id]
            self._attempts.launch(command)
        sleeps = [command for command in self._waits.values() if isinstance(command.request, Sleep)]
        first = min(sleeps, key=self._due_at, default=None)
        if first is None or self._due_at(first) > now:
            return bool(due)
        await self._append(facts.completed(first, now))
        return True

    async def _consume(self) -> bool:
        """Take from the inbox, or from ended edges, what an open wait asks for; only if there is news."""
        waiting = self._log.take_news()
        messages = [command for command in self._waits.values() if isinstance(command.request, AwaitMessage)]
        if waiting.messages and messages:
            for command in messages:
                if await self._consume_message(command):
                    return True
        children = any(isinstance(command.request, AwaitChild | AwaitGroup) for command in self._waits.values())
        return waiting.outcomes and children and await self._consume_outcomes()

    async def _consume_message(self, command: Command) -> bool:
        assert isinstance(command.request, AwaitMessage)
        call = c.ReadInbox(
            namespace=self._own.namespace,
            execution_id=self._own.execution_id,
            incarnation=self._own.incarnation,
            name=command.request.name,
            key=command.request.key,
            limit=1,
        )
        inbox = await self._log.call(self._store.read_inbox, call)
        for mail in inbox.items:
            await self._append(facts.message_consumed(command, mail.message_id))
        return bool(inbox.items)

    async def _consume_outcomes(self) -> bool:
        waits = {key: wait for key in await self._ended_children() if (wait := self._body.locate_watcher(key))}
        outcomes = [(facts.outcome_consumed(wait.id, key),) for key, wait in waits.items()]
        for events in _batched(outcomes, self._around.limits):
            await self._append(*events)
        return bool(outcomes)

    async def _ended_children(self) -> list[str]:
        ended: list[str] = []
        after: str | None = None
        while True:
            call = c.ReadChildren(
                namespace=self._own.namespace,
                execution_id=self._own.execution_id,
                incarnation=self._own.incarnation,
                after=after,
            )
            page = await self._log.call(self._store.read_children, call)
            ended += [edge.child_key for edge in page.items if edge.ended and edge.consumed_at_seq is None]
            if len(page.items) < call.limit:
                return ended
            after = page.items[-1].child_key

    # Waiting.

    def _forget_closed(self) -> None:
        """Waits and pauses that the body has turned away from, or got its answer to."""
        for command in [command for command in self._waits.values() if not command.open]:
            del self._waits[command.id]
            self._asked_at.pop(command.id, None)
            if isinstance(command.request, AwaitGroup):
                self._unwanted |= {key for key in self._body.missing_of(command) if not self._body.locate_watcher(key)}
        for command in [command for command in self._pauses.values() if not command.open]:
            del self._pauses[command.id]

    def _is_busy(self) -> bool:
        """Would a park leave something running, or a pause that is hardly worth one?"""
        soon = self._now() + PAUSE_MAX_MS
        return self._attempts.live or any((pause.retry_at or 0) <= soon for pause in self._pauses.values())

    def _next_due(self) -> float | None:
        """Seconds until a pause or a sleep is over."""
        sleeps = (self._due_at(wait) for wait in self._waits.values() if isinstance(wait.request, Sleep))
        pauses = (pause.retry_at or 0 for pause in self._pauses.values())
        due = min((*sleeps, *pauses), default=None)
        return None if due is None else max(0, due - self._now()) / 1000

    def _due_at(self, command: Command) -> Instant:
        assert isinstance(command.request, Sleep)
        return command.wake_at or Instant(self._asked_at[command.id] + command.request.delay_ms)

    async def _wait_until(self, seconds: float | None) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._log.wake.wait()
        except TimeoutError:
            pass

    def _now(self) -> Instant:
        return Instant(_loop_ms() + self._clock_offset_ms)

    # Ends.

    async def _park(self) -> Ending:
        commands = (*self._waits.values(), *self._pauses.values())
        waits = tuple(wait for command in commands if (wait := command.wait) is not None)
        if not waits:
            return await self._block_because("no branch is ready and none waits for anything outside")
        await self._log.park(waits, self._body.heard)
        return Ending.PARKED

    async def _block(self, error: NonDeterminism | NotReplaySafe) -> Ending:
        reason = f"{type(error).__name__}: {error}"
        if isinstance(error, NonDeterminism):
            return await self._block_because(reason, expected=error.expected, actual=error.actual, at=error.at)
        return await self._block_because(reason)

    async def _block_because(self, reason: str, **members: str) -> Ending:
        """Park on an operator. A cancel request is heard with it, or it would answer each such park for ever."""
        await in_callback(self._body.loop.detach)
        self._attempts.end_all("detached")
        told = {name: _readable(text) for name, text in members.items()}
        wait = OperatorWait(id="blocked", operator=Operator(reason=_readable(reason), **told))
        await self._log.park((wait,), self._log.cancel_seq)
        logger.error("%s is blocked: %s", self._own, reason)
        return Ending.BLOCKED

    async def _settle(self) -> Ending:
        """The body has returned: its branches are cancelled, running steps awaited, then the terminal event.

        What it asked for last and left to itself begins all the same; what its branches ask for on their way does not.
        """
        continuation = continuation_in(self._body.outcome)
        terminal, fresh = self._terminal(), self._body.take_fresh()
        await in_callback(self._body.leave)
        await self._start([command for command in fresh if command.open])
        await self._land("cancel")
        return await (self._end(terminal) if continuation is None else self._continue(continuation))

    async def _continue(self, continuation: Continuation) -> Ending:
        """The next link, instead of a terminal event of the body's own."""
        call = c.ContinueAsNew(
            namespace=self._own.namespace,
            execution_id=self._own.execution_id,
            credential=self._own,
            batch_id=secrets.token_hex(16),
            input=RawJson(continuation.input),
            workflow=continuation.workflow,
            code_version=continuation.version,
            release=tuple(sorted(self._unwanted)),
        )
        try:
            await self._log.call(self._store.continue_as_new, call)
        except TooLarge as error:
            return await self._end(_failed(error))
        return Ending.SETTLED

    def _terminal(self) -> NewEvent:
        outcome = self._body.outcome
        if isinstance(outcome, asyncio.CancelledError) and self._body.heard is not None:
            return NewEvent(kind=EventKind.EXECUTION_CANCELLED, payload=NULL)
        if isinstance(outcome, BaseException):
            return _failed(outcome)
        try:
            result = _encode(outcome, self._around.limits.result_bytes)
        except Exception as error:
            return _failed(error)
        return NewEvent(kind=EventKind.EXECUTION_COMPLETED, payload=result)

    async def _end(self, event: NewEvent) -> Ending:
        await self._log.write(event)
        return Ending.SETTLED

    async def _drain(self) -> Ending:
        await in_callback(self._body.loop.detach)
        await self._land("detached")
        await self._log.release()
        return Ending.RELEASED

    async def _land(self, ending: StepEnding) -> None:
        """Wait for running steps up to the drain limit, then tell them to end; record what they come to."""
        loop = asyncio.get_running_loop()
        limit, told = loop.time() + self._around.drain_ms / 1000, False
        while self._attempts.live:
            self._log.wake.clear()
            self._log.check_owned()
            if self._attempts.ended:
                event = self._told_by(self._attempts.ended.popleft())
                if event is not None:
                    await self._log.write(event)
            elif loop.time() < limit:
                await self._wait_until(limit - loop.time())
            elif not told:
                self._attempts.end_all(ending)
                limit, told = loop.time() + GRACE_S, True
            else:
                return


def continuation_in(outcome: Any) -> Continuation | None:
    """By what the body goes on as new; out of a TaskGroup it comes in a group, with nothing else."""
    if isinstance(outcome, BaseExceptionGroup) and len(outcome.exceptions) == 1:
        return continuation_in(outcome.exceptions[0])
    return outcome if isinstance(outcome, Continuation) else None


def _readable(text: str) -> str:
    """What an operator wait may say: bounded, without NUL and lone surrogates."""
    return text[:PROSE_CHARS_MAX].replace("\x00", "").encode("utf-8", "backslashreplace").decode() or "?"


def _failed(error: BaseException) -> NewEvent:
    return NewEvent(kind=EventKind.EXECUTION_FAILED, payload=encode(describe_exception(error)))


def _encode(value: Any, bytes_max: int) -> RawJson:
    """Raises TypeError for what has no JSON form, ResultTooLarge over the limit."""
    text = encode_value(value)
    size = len(text.encode())
    if size > bytes_max:
        raise ResultTooLarge(f"{size} bytes of result, at most {bytes_max}: store it elsewhere and return where it is")
    return text


class ResultTooLarge(ValueError):
    """Named in the failure."""


def _batched(groups: Iterable[tuple[NewEvent, ...]], limits: Limits) -> Iterable[tuple[NewEvent, ...]]:
    """Appends of a size that the store takes; what belongs together stays together."""
    batch: list[NewEvent] = []
    size = 0
    for group in groups:
        grown = sum(len(event.payload.encode()) for event in group)
        if batch and (len(batch) + len(group) > limits.append_events or size + grown > limits.append_bytes):
            yield tuple(batch)
            batch, size = [], 0
        batch += group
        size += grown
    if batch:
        yield tuple(batch)


def _loop_ms() -> int:
    return round(asyncio.get_running_loop().time() * 1000)
