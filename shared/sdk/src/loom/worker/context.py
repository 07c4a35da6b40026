"""What a body may do to the world, and how: the first argument of every workflow."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Generator, Iterable, Iterator
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from random import Random
from typing import Any, Generic, Literal, NoReturn, ParamSpec, TypeVar, overload

from loom.client.payloads import encode_arguments, encode_value
from loom.clock import Duration, ms_of
from loom.errors import Continuation
from loom.ids import ExecutionRef, Instant, Token
from loom.kernel.kinds import kind_of
from loom.worker import groups, waiting
from loom.worker.commands import (
    ID_CHARS_MAX,
    AttachChild,
    AwaitChild,
    AwaitGroup,
    AwaitMessage,
    BeginChild,
    Close,
    Commands,
    Emit,
    RunStep,
    Scope,
    SendMessage,
    Sleep,
    check_name,
)
from loom.worker.registry import Workflow, as_step
from loom.worker.steps import current_attempt

P = ParamSpec("P")
R = TypeVar("R")


class Context:
    """The body's side of Loom. What it answers is the same in every replay.

    Each call asks at once, in the order in which the body calls; the future answered is there to be awaited, gathered,
    or cancelled. On the way out of a body (lost grant, stopping worker, park) every call raises loom.Detached.
    """

    def __init__(self, commands: Commands, execution: ExecutionRef) -> None:
        self.execution = execution
        self._commands = commands
        self._outcomes: dict[str, Any] = {}  # of children, by key: result or error, as the log told them
        self._children: dict[str, tuple[str, asyncio.Future[Any]]] = {}
        self._now = Instant(0)
        self._chances: dict[str, Random] = {}

    @property
    def execution_id(self) -> str:
        return self.execution.execution_id

    # Steps.

    @overload
    def step(
        self, name: str, function: Callable[P, Awaitable[R]], /, *args: P.args, **kwargs: P.kwargs
    ) -> asyncio.Future[R]: ...
    @overload
    def step(self, name: str, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> asyncio.Future[R]: ...
    @overload
    def step(self, function: Callable[P, Awaitable[R]], /, *args: P.args, **kwargs: P.kwargs) -> asyncio.Future[R]: ...
    @overload
    def step(self, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> asyncio.Future[R]: ...
    def step(self, name: Any, /, *args: Any, **kwargs: Any) -> asyncio.Future[Any]:
        """Run a function outside the body, never again once its result is recorded: `ctx.step("pay", pay, order)`.

        A function of @loom.step brings name, retry and time-out along: `ctx.step(pay, order)`. Arguments and result
        have a JSON form; this context may be an argument too. Raises StepFailed when the step has given up.
        """
        if not isinstance(name, str):
            function, name = name, getattr(name, "name", None) or getattr(name, "__name__", "step")
        else:
            function, args = args[0], args[1:]
        told = [["context" if arg is self else ["value", arg] for arg in args], kwargs]
        request = RunStep(as_step(function, name), args, kwargs, told)
        return self._commands.ask(check_name(name), request)

    @property
    def fence(self) -> Token:
        """Inside a step: the fence token under which it runs. Have your own database refuse smaller ones."""
        return current_attempt().read_fence()

    @property
    def idempotency_key(self) -> str:
        """Inside a step: `<execution>@<incarnation>/<seq>`, the same for every attempt at it, on any machine."""
        return current_attempt().idempotency_key

    # Waits.

    def sleep(self, duration: Duration) -> asyncio.Future[None]:
        """Wait that long, on no machine in particular."""
        return self._commands.ask("sleep", Sleep(ms_of(duration)))

    def wait_event(
        self, name: str, *, key: str | None = None, timeout: Duration | None = None, type: Any = Any
    ) -> asyncio.Future[Any]:
        """Wait for a message of this name, and of this key if one is given; one that came earlier is taken first.

        Answers its payload as `type` says. Raises EventTimeout if the time-out comes first.
        """
        timeout_ms = ms_of(timeout)
        future = self._commands.ask(check_name(name), AwaitMessage(name, key, type))
        if timeout_ms is not None:
            self._commands.ask(f"{name}~timeout", Sleep(timeout_ms, event=name), future)
        return future

    def timeout(self, duration: Duration) -> AbstractAsyncContextManager[None]:
        """`async with ctx.timeout(60):` raises TimeoutError if what is inside takes longer; like asyncio.timeout."""
        return waiting.timeout(self._commands.ask("timeout", Sleep(ms_of(duration))))

    async def wait(
        self,
        members: Iterable[Awaitable[Any]],
        *,
        timeout: Duration | None = None,
        return_when: str = asyncio.ALL_COMPLETED,
    ) -> tuple[list[asyncio.Future[Any]], list[asyncio.Future[Any]]]:
        """Like asyncio.wait, with lists in the order given for its sets."""
        sleep = None if timeout is None else self._commands.ask("timeout", Sleep(ms_of(timeout)))
        return await waiting.wait(waiting.as_futures(members), sleep, return_when)

    def as_completed(self, members: Iterable[Awaitable[R]]) -> Iterator[Awaitable[R]]:
        """Like asyncio.as_completed, over coroutines too."""
        return iter(asyncio.as_completed(waiting.as_futures(members)))

    # Other executions.

    def send(
        self, execution_id: str, name: str, payload: Any = None, *, key: str | None = None, id: str | None = None
    ) -> asyncio.Future[None]:
        """Send a message to what lives under an id, in one transaction with the proof that this body still may.

        With an `id` of your own it is received once, whoever repeats it. Raises StepFailed: nobody there, inbox full.
        """
        request = SendMessage(execution_id, check_name(name), key, encode_value(payload), id)
        return self._commands.ask(f"send {name}", request)

    def start_child(
        self,
        workflow: Workflow[..., R] | str,
        *args: Any,
        key: str | None = None,
        queue: str | None = None,
        timeout: Duration | None = None,
        delay: Duration | None = None,
        close: Close = "cancel",
        scope: Scope = "chain",
    ) -> asyncio.Future[ChildHandle[R]]:
        """Start a child; awaiting what this answers gives its handle, awaiting the handle its result.

        A string is `name` or `name@version`. The same key is the same child; by default `<branch>/<name>/<index>`.
        `queue` None is this execution's own. `close` is what becomes of it when this execution has ended. With scope
        `chain` that is the end of the last link, and a child not awaited yet goes along under its key when the body
        continues as new; with `run` it stays with this link. Raises ChildFailed if it cannot be started.
        """
        name, version, result_type = _described(workflow)
        key = key or self._commands.peek_id(check_name(name))
        if key in self._children:
            return self._same_child(key, name)
        request = BeginChild(
            key=key,
            workflow=name,
            version=version,
            queue=queue,
            input=encode_arguments(args),
            result_type=result_type,
            delay_ms=ms_of(delay),
            timeout_ms=ms_of(timeout),
            close=close,
            scope=scope,
        )
        self._children[key] = name, self._commands.ask(name, request)
        return self._children[key][1]

    def attach(
        self,
        execution_id: str,
        *,
        key: str | None = None,
        type: Any = Any,
        close: Close = "abandon",
        scope: Scope = "chain",
    ) -> asyncio.Future[ChildHandle[Any]]:
        """Adopt what lives, or has ended, under an id: its handle is awaited like a child's, its result is of `type`.

        The key is `attach/<id>` if none is given; one that has a child already must be of the same id. Raises
        ChildFailed if there is nothing to adopt.
        """
        key = key or f"attach/{execution_id}"[:ID_CHARS_MAX]
        if key in self._children:
            return self._same_child(key, execution_id)
        request = AttachChild(key=key, execution_id=execution_id, result_type=type, close=close, scope=scope)
        self._children[key] = execution_id, self._commands.ask("attach", request)
        return self._children[key][1]

    def _same_child(self, key: str, workflow: str) -> asyncio.Future[ChildHandle[Any]]:
        name, future = self._children[key]
        if name != workflow:
            raise ValueError(f"the key {key} already has a child: {name}")
        return future

    async def run_child(self, workflow: Workflow[..., R] | str, *args: Any, **options: Any) -> Any:
        """Start a child and wait for its result; options are those of `start_child`. Raises ChildFailed."""
        return await (await self.start_child(workflow, *args, **options))

    async def gather(
        self,
        *members: Awaitable[Any],
        policy: Literal["all", "any"] | int = "all",
        on_error: Literal["raise", "collect"] = "raise",
    ) -> Any:
        """Wait for children, or for any awaitables, until the rule is met.

        `all` answers every result, n the first n, both in the order of the members; `any` answers the first result.
        With `raise` an error is raised: by `all` at once, by the others when too few can still complete. With `collect`
        the answer is a list of all that had come, errors included. Children that nobody waits for any more are
        released, other losers cancelled. Children alone are one wait of one park.
        """
        if not members and policy == "all":
            return []
        groups.check_policy(policy, on_error, len(members))
        handles = [member for member in members if isinstance(member, ChildHandle)]
        if len(handles) == len(members):
            return await self._gather_children(handles, policy, on_error)
        return await waiting.gather(waiting.as_futures(members), policy, on_error)

    async def _gather_children(self, handles: list[ChildHandle[Any]], policy: Any, on_error: Any) -> Any:
        keys = tuple(handle.key for handle in handles)
        if len(set(keys)) < len(keys):
            raise ValueError(f"the members of a group must be distinct: {keys}")
        known = self.arrivals_of(keys)
        if groups.is_met(policy, on_error, known, len(keys)):
            return groups.result_of(policy, on_error, known)
        return await self._commands.ask("gather", AwaitGroup(keys, policy, on_error))

    async def await_child(self, handle: ChildHandle[R]) -> R:
        """What `await handle` does."""
        if handle.key not in self._outcomes:
            result: R = await self._commands.ask(f"await {handle.workflow}", AwaitChild(handle.key))
            return result
        outcome: R | BaseException = self._outcomes[handle.key]
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    def continue_as_new(self, *args: Any, workflow: Workflow[..., Any] | str | None = None) -> NoReturn:
        """End this link and begin the next under the same id, with these arguments and an empty log.

        It raises what the body must let through, and may be called in its first task only. Children not awaited yet,
        mail not read yet, a cancel request and the deadline go along. `workflow`: go on as another one, or as another
        version of this.
        """
        name, version, _ = (None, None, None) if workflow is None else _described(workflow)
        self._commands.check_leaving()
        raise Continuation(encode_arguments(args), name, version)

    # The log.

    def emit(self, kind: str, payload: Any = None) -> asyncio.Future[None]:
        """Put an event of your own into the log, where clients and people can read it."""
        if kind_of(kind) is not None or kind.startswith("EXECUTION_"):
            raise ValueError(f"{kind} is a kind of Loom's own")
        return self._commands.ask(f"emit {check_name(kind)}", Emit(kind, encode_value(payload)))

    # What would differ from one replay to the next.

    def now(self) -> datetime:
        """The time of the latest event that the body was given."""
        return datetime.fromtimestamp(self._now / 1000, UTC)

    def random(self) -> Random:
        """A source of chance for this branch, the same in every replay."""
        branch = self._commands.branch()
        if branch not in self._chances:
            self._chances[branch] = Random(f"{int(self.execution.incarnation)}/{branch}")
        return self._chances[branch]

    def uuid(self) -> uuid.UUID:
        """A random UUID, the same in every replay."""
        return uuid.UUID(int=self.random().getrandbits(128), version=4)

    # What the replay tells.

    def pass_time(self, at: Instant) -> None:
        """An event of this instant was given to the body."""
        self._now = max(self._now, at)

    def tell_outcome(self, key: str, outcome: Any | BaseException) -> None:
        """A child's end is in the log."""
        self._outcomes[key] = outcome

    def arrivals_of(self, keys: Iterable[str]) -> groups.Arrivals:
        """Of these children those whose end is in the log, in its order."""
        places = {key: place for place, key in enumerate(keys)}
        return [(places[key], outcome) for key, outcome in self._outcomes.items() if key in places]


class ChildHandle(Generic[R]):
    """A child that was started. `await` it for its result; raises ChildFailed if it did not complete."""

    def __init__(self, context: Context, key: str, workflow: str, child: ExecutionRef) -> None:
        self.key = key
        self.workflow = workflow
        self.execution = child
        self._context = context

    @property
    def execution_id(self) -> str:
        return self.execution.execution_id

    def __await__(self) -> Generator[Any, None, R]:
        return self._context.await_child(self).__await__()


def _described(workflow: Workflow[..., Any] | str) -> tuple[str, str, Any]:
    if isinstance(workflow, Workflow):
        return workflow.name, workflow.version, workflow.result_type
    name, _, version = workflow.partition("@")
    return name, version or "0", Any
