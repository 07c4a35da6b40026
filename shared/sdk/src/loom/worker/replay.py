"""A body and its log: events are given to it one at a time, in their order, and compared with what it asked for."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import Any

from loom.client.failures import read_failure
from loom.client.payloads import decode_arguments, decode_value
from loom.errors import ChildFailed, EventTimeout, NonDeterminism, StepFailed
from loom.ids import ExecutionId, ExecutionRef, Incarnation, Instant, Namespace, Sequence
from loom.kernel.events import Event
from loom.kernel.kinds import EventKind
from loom.worker import groups
from loom.worker.commands import (
    AttachChild,
    AwaitChild,
    AwaitGroup,
    AwaitMessage,
    BeginChild,
    Beginning,
    Command,
    Commands,
    RunStep,
    Sleep,
)
from loom.worker.context import ChildHandle, Context
from loom.worker.loop import BodyLoop
from loom.worker.registry import Workflow
from loom.worker.tasks import BodyTask


class Body:
    """One incarnation's body, on a loop of its own. It is driven from plain callbacks of the worker's loop.

    `give` takes each event of the log, old or just appended, and lets the body run until nothing is ready. What it
    has asked for by then stands in `commands`. Replay and first run differ in nothing else (body-loop 1.2).
    """

    def __init__(self, workflow: Workflow[..., Any], execution: ExecutionRef) -> None:
        self.loop = BodyLoop()
        self.commands = Commands(self.loop)
        self.context = Context(self.commands, execution)
        self.heard: Sequence | None = None  # the newest cancel request given
        self._workflow = workflow
        self._task: BodyTask | None = None
        self._beginnings: dict[str, Command] = {}  # of children, by key
        self._watchers: dict[str, list[Command]] = defaultdict(list)  # by the child's key: who waits for its end
        self._missing: dict[str, set[str]] = {}  # of a group, by command: members without an end
        self._filed = 0
        self._parked = False  # then ends come with the answer, and a group is judged on all of them
        self._touched: dict[str, Command] = {}  # groups that got an end while parked

    @property
    def done(self) -> bool:
        """Has the first task ended?"""
        return self._task is not None and self._task.done()

    @property
    def outcome(self) -> Any | BaseException:
        """What the first task returned, or the exception that ended it."""
        assert self._task is not None
        if self._task.cancelled():
            return asyncio.CancelledError()
        return self._task.exception() or self._task.result()

    def give(self, event: Event) -> None:
        """Give one event. Raises NonDeterminism if it does not fit what was asked, NotReplaySafe once that happened."""
        self._file_fresh()
        payload = event.payload.parsed() if event.kind in _GIVEN else None
        match event.kind:
            case EventKind.EXECUTION_STARTED:
                self._begin(event, payload)
            case EventKind.STEP_STARTED:
                self._mark_started(event, payload)
            case EventKind.STEP_RETRIED:
                self._mark_retried(event, payload)
            case EventKind.STEP_COMPLETED | EventKind.STEP_FAILED:
                self._end_command(event, payload)
            case EventKind.MESSAGE_CONSUMED:
                self._deliver_message(event, payload)
            case EventKind.CHILD_STARTED:
                self._deliver_child(event, payload)
            case EventKind.CHILD_OUTCOME:
                self._deliver_outcome(event, payload)
            case EventKind.EXECUTION_SUSPENDED:
                self._compare_park(event, payload)
            case EventKind.EXECUTION_RESUMED:
                self._deliver_answer(event, payload)
            case EventKind.EXECUTION_CANCEL_REQUESTED:
                self._request_cancel(event)
        if not self.done:  # what its branches do after the body has returned could change what it returned
            self.run()

    def run(self) -> None:
        """Let the body run until nothing is ready. Raises NotReplaySafe if it ever did what cannot be repeated."""
        self.loop.run_until_idle()
        if self.loop.poison is not None:
            raise self.loop.poison

    def take_fresh(self) -> list[Command]:
        """What was asked for since the last time, in order of asking, and is still wanted."""
        self._file_fresh()
        fresh, self.commands.fresh, self._filed = self.commands.fresh, [], 0
        return [command for command in fresh if command.open]

    def missing_of(self, group: Command) -> set[str]:
        """The members of a group whose end the body does not know."""
        return self._missing[group.id]

    def locate_watcher(self, key: str) -> Command | None:
        """The first open command that waits for this child's end."""
        return next((command for command in self._watchers.get(key, ()) if command.open), None)

    def leave(self) -> None:
        """The body has returned: cancel the branches that it left open."""
        self.loop.cancel_branches()
        self.run()

    # Old and new events.

    def _begin(self, event: Event, payload: Any) -> None:
        self.context.pass_time(event.recorded_at)
        self._task = self.loop.start(self._main(payload["input"]))
        if payload["cancel"]:  # it came along from the link before: met at the first await, not before it began
            self.run()
            self._request_cancel(event)

    async def _main(self, form: Any) -> Any:
        args, kwargs = decode_arguments(self._workflow.function, form, skip=1)
        return await self._workflow.function(self.context, *args, **kwargs)

    def _mark_started(self, event: Event, payload: Any) -> None:
        command = self._locate(payload["command"], payload["type"], payload.get("digest", ""), event)
        command.started_seq = event.seq
        if isinstance(command.request, Sleep):
            command.wake_at = Instant(payload["wake_at"])

    def _mark_retried(self, event: Event, payload: Any) -> None:
        command = self._locate(payload["command"], RunStep.TYPE, None, event)
        command.attempts = payload["attempt"]
        command.retry_at = Instant(payload["retry_at"])

    def _end_command(self, event: Event, payload: Any) -> None:
        command = self._locate(payload["command"], payload["type"], payload.get("digest"), event)
        self.context.pass_time(Instant(payload["at"]))
        if event.kind == EventKind.STEP_FAILED:
            cls = ChildFailed if isinstance(command.request, Beginning) else StepFailed
            self._fulfil(command, cls(_name_in(command.id), *read_failure(payload["failure"])))
        elif isinstance(command.request, Sleep):
            self._wake(command)
        elif isinstance(command.request, Beginning):
            self._fulfil_child(command, command.request, payload["result"])
        else:
            self._fulfil(command, self._decode_result(command, payload.get("result")))

    def _decode_result(self, command: Command, value: Any) -> Any:
        annotation = command.request.step.result_type if isinstance(command.request, RunStep) else Any
        return _decoded(value, annotation, StepFailed, _name_in(command.id))

    def _wake(self, command: Command) -> None:
        assert isinstance(command.request, Sleep)
        event = command.request.event
        late = None if event is None else EventTimeout(f"{event} did not come within {command.request.delay_ms} ms")
        self._fulfil(command, late)

    def _deliver_message(self, event: Event, payload: Any) -> None:
        if payload["wait"] is None:
            return
        command = self._locate(payload["wait"], AwaitMessage.TYPE, None, event)
        assert isinstance(command.request, AwaitMessage)
        self.context.pass_time(event.recorded_at)
        name = command.request.name
        self._fulfil(command, _decoded(payload["payload"], command.request.annotation, StepFailed, name))

    def _deliver_child(self, event: Event, payload: Any) -> None:
        command = self._beginnings.get(payload["key"])
        if command is None:
            raise NonDeterminism(f"child {payload['key']}", self._newest_like(payload["key"]), _at(event))
        request = command.request
        assert isinstance(request, Beginning)
        if isinstance(request, BeginChild) and request.workflow != payload["workflow"]:
            raise NonDeterminism(f"a child of {payload['workflow']}", f"one of {request.workflow}", _at(event))
        self._fulfil_child(command, request, payload["child"])

    def _fulfil_child(self, command: Command, request: Beginning, child: Any) -> None:
        ref = ExecutionRef(
            namespace=Namespace(child["namespace"]),
            execution_id=ExecutionId(child["execution_id"]),
            incarnation=Incarnation.parse(child["incarnation"]),
        )
        self._fulfil(command, ChildHandle(self.context, request.key, request.workflow, ref))

    def _deliver_outcome(self, event: Event, payload: Any) -> None:
        key = payload["key"]
        beginning = self._beginnings.get(key)
        if beginning is None or key not in self._watchers:
            raise NonDeterminism(f"a wait for child {key}", self._newest_like(key), _at(event))
        self.context.pass_time(event.recorded_at)
        assert isinstance(beginning.request, Beginning)
        outcome = _outcome_of(beginning.request, payload)
        self.context.tell_outcome(key, outcome)
        for command in self._watchers[key]:
            if isinstance(command.request, AwaitGroup):
                self._missing[command.id].discard(key)
                self._touched[command.id] = command
            else:
                self._fulfil(command, outcome)
        if not self._parked:
            self._settle_groups(isinstance(outcome, BaseException))

    def _settle_groups(self, failed: bool) -> None:
        """Judge the groups that got an end; `failed` False: none of these ends was a failure."""
        touched, self._touched = self._touched, {}
        for command in touched.values():
            group = command.request
            assert isinstance(group, AwaitGroup)
            waits_on = group.policy == "all" and not (failed and group.on_error == "raise")
            if command.open and not (waits_on and self._missing[command.id]):
                self._settle_group(command, group)

    def _settle_group(self, command: Command, group: AwaitGroup) -> None:
        arrivals = self.context.arrivals_of(group.keys)
        if groups.is_met(group.policy, group.on_error, arrivals, len(group.keys)):
            try:
                self._fulfil(command, groups.result_of(group.policy, group.on_error, arrivals))
            except ChildFailed as error:
                self._fulfil(command, error)

    def _compare_park(self, event: Event, payload: Any) -> None:
        self._parked = True
        for wait in payload["waits"]:
            if "operator" in wait:
                continue
            command = self._locate(wait["id"], None, None, event)
            told = command.wait
            if told is None or _form_of(told) not in wait:
                kind = next(name for name in wait if name != "id")
                raise NonDeterminism(f"a {kind} wait {wait['id']}", command.said, _at(event))
            if isinstance(command.request, Sleep):
                command.wake_at = Instant(wait["timer"]["wake_at"])

    def _deliver_answer(self, event: Event, payload: Any) -> None:
        self._parked = False
        self._settle_groups(failed=True)
        self.context.pass_time(event.recorded_at)
        command = self.commands.by_id.get(payload["wait"] or "")
        if command is not None and isinstance(command.request, Sleep):
            self._wake(command)

    def _request_cancel(self, event: Event) -> None:
        assert self._task is not None
        self.context.pass_time(event.recorded_at)
        self.heard = event.seq
        self._task.cancel()

    # What was asked for.

    def _file_fresh(self) -> None:
        """Find again, by the child's key, who begins it and who waits for its end."""
        fresh = self.commands.fresh
        for command in fresh[self._filed :]:
            match command.request:
                case BeginChild(key=key) | AttachChild(key=key):
                    self._beginnings[key] = command
                case AwaitChild(key=key):
                    self._watchers[key].append(command)
                case AwaitGroup(keys=keys):
                    known = {keys[place] for place, _ in self.context.arrivals_of(keys)}
                    self._missing[command.id] = set(keys) - known
                    for key in self._missing[command.id]:
                        self._watchers[key].append(command)
        self._filed = len(fresh)

    def _locate(self, id: str, type_name: str | None, digest: str | None, event: Event) -> Command:
        """The command of this id, asked for by now, of that type and digest where the log says one."""
        command = self.commands.by_id.get(id)
        if command is None:
            expected = f"{type_name or 'wait'} {id}"
            raise NonDeterminism(expected, self.commands.newest_of(id.split("/", 1)[0]), _at(event))
        if type_name is not None and type_name != command.request.TYPE:
            raise NonDeterminism(f"{type_name} {id}", command.said, _at(event))
        if digest is not None and command.digest != digest:
            raise NonDeterminism(
                f"{command.said} with arguments of digest {digest}", f"digest {command.digest}", _at(event)
            )
        return command

    def _newest_like(self, key: str) -> str:
        return self.commands.newest_of(key.split("/", 1)[0])

    def _fulfil(self, command: Command, result: Any | BaseException) -> None:
        """The end of a command is in the log; the body gets it unless it has turned away (body-loop 1.5)."""
        command.ended = True
        if command.future.done():
            return
        if isinstance(result, BaseException):
            command.future.set_exception(result)
        else:
            command.future.set_result(result)


_GIVEN = frozenset(
    {
        EventKind.EXECUTION_STARTED,
        EventKind.STEP_STARTED,
        EventKind.STEP_RETRIED,
        EventKind.STEP_COMPLETED,
        EventKind.STEP_FAILED,
        EventKind.MESSAGE_CONSUMED,
        EventKind.CHILD_STARTED,
        EventKind.CHILD_OUTCOME,
        EventKind.EXECUTION_SUSPENDED,
        EventKind.EXECUTION_RESUMED,
    }
)
"""Kinds whose payload the body's own worker or the store wrote; the application's are never parsed."""


def _outcome_of(beginning: Beginning, payload: Any) -> Any | BaseException:
    if payload["status"] == "completed":
        return _decoded(payload["outcome"], beginning.result_type, ChildFailed, beginning.workflow)
    if payload["status"] == "failed":
        return ChildFailed(beginning.workflow, *read_failure(payload["outcome"]))
    outcome = payload["outcome"] or {}
    return ChildFailed(beginning.workflow, payload["status"], str(outcome.get("reason") or ""), outcome)


def _decoded(value: Any, annotation: Any, error: type[StepFailed] | type[ChildFailed], name: str) -> Any:
    try:
        return decode_value(value, annotation)
    except Exception as mismatch:  # pydantic's ValidationError, or what a validator of the author's raises
        return error(name, type(mismatch).__name__, str(mismatch))


def _name_in(id: str) -> str:
    return id.split("/", 1)[1].rpartition("/")[0]


def _form_of(wait: Any) -> str:
    return next(name for name in ("timer", "message", "child", "group") if hasattr(wait, name))


def _at(event: Event) -> str:
    return f"event {event.seq}"
