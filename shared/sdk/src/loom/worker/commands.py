"""What a body asks for: commands, each known by branch, name and index of the name in the branch (body-loop 1.4)."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from loom.client.payloads import digest_value
from loom.ids import Instant, Sequence
from loom.kernel.parks import Child, ChildWait, Group, GroupWait, Message, MessageWait, Timer, TimerWait, Wait
from loom.kernel.raw_json import RawJson
from loom.worker.loop import BodyLoop
from loom.worker.registry import Step
from loom.worker.tasks import BodyFuture

Close = Literal["terminate", "cancel", "abandon"]
Scope = Literal["run", "chain"]


@dataclass(frozen=True, slots=True)
class RunStep:
    """Run a function; ends with its result or its last failure."""

    TYPE: ClassVar[str] = "step"

    step: Step[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    told: Any  # of the arguments, what the digest is taken of

    @property
    def digested(self) -> Any:
        return self.told


@dataclass(frozen=True, slots=True)
class SendMessage:
    """Send to another execution under this one's credential."""

    TYPE: ClassVar[str] = "send"

    execution_id: str
    name: str
    key: str | None
    payload: RawJson
    message_id: str | None

    @property
    def digested(self) -> Any:
        return [self.execution_id, self.name, self.key, self.payload, self.message_id]


@dataclass(frozen=True, slots=True)
class BeginChild:
    """Start a child; ends with CHILD_STARTED."""

    TYPE: ClassVar[str] = "child"

    key: str
    workflow: str
    version: str
    queue: str | None
    input: RawJson
    result_type: Any
    delay_ms: int | None
    timeout_ms: int | None
    close: Close
    scope: Scope

    @property
    def digested(self) -> Any:
        return [self.key, self.workflow, self.version, self.input]


@dataclass(frozen=True, slots=True)
class AttachChild:
    """Adopt what lives, or has ended, under an id; ends with CHILD_STARTED."""

    TYPE: ClassVar[str] = "attach"

    key: str
    execution_id: str
    result_type: Any
    close: Close
    scope: Scope

    @property
    def workflow(self) -> str:
        """What a failure of it names, since the body does not know what it is."""
        return self.execution_id

    @property
    def digested(self) -> Any:
        return [self.key, self.execution_id]


@dataclass(frozen=True, slots=True)
class Emit:
    """Append an event of the application's own."""

    TYPE: ClassVar[str] = "emit"

    kind: str
    payload: RawJson

    @property
    def digested(self) -> Any:
        return [self.kind, self.payload]


@dataclass(frozen=True, slots=True)
class Sleep:
    """Until a while has passed since it was asked for. With `event` it is the time-out of a wait for that event."""

    TYPE: ClassVar[str] = "sleep"

    delay_ms: int
    event: str | None = None


@dataclass(frozen=True, slots=True)
class AwaitMessage:
    """Until a message of this name, and of this key unless it is None."""

    TYPE: ClassVar[str] = "message"

    name: str
    key: str | None
    annotation: Any


@dataclass(frozen=True, slots=True)
class AwaitChild:
    """Until this child has ended."""

    TYPE: ClassVar[str] = "await"

    key: str


@dataclass(frozen=True, slots=True)
class AwaitGroup:
    """Until the rule over these children is met."""

    TYPE: ClassVar[str] = "gather"

    keys: tuple[str, ...]
    policy: Literal["all", "any"] | int
    on_error: Literal["raise", "collect"]

    @property
    def group(self) -> Group:
        return Group(members=self.keys, policy=self.policy, on_error=self.on_error)


Beginning = BeginChild | AttachChild
Request = RunStep | SendMessage | Beginning | Emit | Sleep | AwaitMessage | AwaitChild | AwaitGroup
Recorded = RunStep | SendMessage | Beginning
"""Begins with STEP_STARTED, which carries the digest of what was asked."""

NAME_CHARS_MAX = 200
FIRST_BRANCH = "0"
ID_CHARS_MAX = 255  # of a wait, in any store


@dataclass(slots=True, eq=False)
class Command:
    """One request of a body, and how far it has come. Its id is its wait's id too."""

    id: str
    branch: str
    request: Request
    digest: str  # of what was asked for; empty for waits
    future: BodyFuture
    started_seq: Sequence | None = None  # of STEP_STARTED: the stable part of the key of its effects
    wake_at: Instant | None = None  # of a sleep whose deadline is known
    attempts: int = 0  # that failed and are recorded
    retry_at: Instant | None = None  # when a step in its back-off is due
    ended: bool = False  # its completion is in the log

    @property
    def open(self) -> bool:
        """Does the body still wait for it?"""
        return not self.ended and not self.future.done()

    @property
    def said(self) -> str:
        return f"{self.request.TYPE} {self.id}"

    @property
    def wait(self) -> Wait | None:
        """What a park says of it; None for what only a worker can bring forward."""
        match self.request:
            case RunStep() if self.retry_at is not None:
                return TimerWait(id=self.id, timer=Timer(wake_at=self.retry_at))
            case Sleep(delay_ms=delay_ms):
                delay = delay_ms if self.wake_at is None else None
                return TimerWait(id=self.id, timer=Timer(wake_at=self.wake_at, delay_ms=delay))
            case AwaitMessage(name=name, key=key):
                return MessageWait(id=self.id, message=Message(name=name, key=key))
            case AwaitChild(key=key):
                return ChildWait(id=self.id, child=Child(key=key))
            case AwaitGroup():
                return GroupWait(id=self.id, group=self.request.group)
        return None


class Commands:
    """All that a body has asked for. Only the running body adds to it."""

    def __init__(self, loop: BodyLoop) -> None:
        self.loop = loop
        self.by_id: dict[str, Command] = {}
        self.fresh: list[Command] = []  # in order of asking; whoever starts them empties it
        self._counts: Counter[tuple[str, str]] = Counter()

    def ask(self, name: str, request: Request, future: BodyFuture | None = None) -> BodyFuture:
        """The future that the end of `request` fulfils. Raises Detached on the way out, RuntimeError outside the body.

        Two commands may share a future: then the first of them to end decides.
        """
        future = future or self.loop.create_answer()
        if not self.loop.is_detached:
            branch = self.branch()
            nth = self._counts[branch, name]
            self._counts[branch, name] += 1
            digested = getattr(request, "digested", None)
            digest = "" if digested is None else digest_value(digested)
            command = Command(_check_id(f"{branch}/{name}/{nth}"), branch, request, digest, future)
            self.by_id[command.id] = command
            self.fresh.append(command)
        return future

    def check_leaving(self) -> None:
        """May the body end itself here? Raises Detached on the way out, RuntimeError in any branch but the first."""
        self.loop.create_answer()
        if self.branch() != FIRST_BRANCH:
            raise RuntimeError("continue_as_new ends the body: call it where the body returns, in its first task")

    def branch(self) -> str:
        """The running branch of the body. Raises RuntimeError elsewhere: in a step, in a callback."""
        if asyncio._get_running_loop() is not self.loop:
            raise RuntimeError("a workflow's context works in its body, not in a step")
        branch = self.loop.current_branch()
        if not branch:
            raise RuntimeError("a workflow's context works in a task, not in a callback")
        return branch

    def peek_id(self, name: str) -> str:
        """The id that the running branch's next command of this name will have."""
        branch = self.branch()
        return f"{branch}/{name}/{self._counts[branch, name]}"

    def newest_of(self, branch: str) -> str:
        """What the branch asked for last, in words."""
        asked = [command.said for command in self.by_id.values() if command.branch == branch]
        return asked[-1] if asked else f"nothing in branch {branch}"


def check_name(name: str) -> str:
    """The name, which becomes part of an id. Raises ValueError."""
    if not name or len(name) > NAME_CHARS_MAX or not name.isprintable():
        raise ValueError(f"a name has 1 to {NAME_CHARS_MAX} printable characters: {name!r}")
    return name


def _check_id(id: str) -> str:
    if len(id) > ID_CHARS_MAX:
        raise ValueError(f"a branch of tasks within tasks has become too deep for its commands to be named: {id[:80]}…")
    return id
