"""What a person does to an execution: start, send, cancel, terminate, fail, evict, resume."""

from __future__ import annotations

import secrets
from argparse import ArgumentParser, Namespace
from collections.abc import Callable

from loom.errors import NotParked, ResumeContended
from loom.ids import ANY, Chain, DecimalString, ExecutionId, Incarnation, Token
from loom.kernel import calls as c
from loom.kernel import parks as p
from loom.kernel.raw_json import NULL, RawJson
from loom_cli.command import (
    Command,
    Session,
    declare_execution,
    declare_json,
    declare_server,
    duration,
    json_or_text,
    json_text,
)
from loom_cli.exits import Exit
from loom_cli.reports import report_end

# --- start ------------------------------------------------------------------------------------------------------------


def _declare_start(parser: ArgumentParser) -> None:
    parser.add_argument("workflow", metavar="WORKFLOW", help="a name, or name@version (0 if not said)")
    parser.add_argument("args", metavar="ARG", nargs="*", type=json_or_text, help="arguments: JSON, or else text")
    parser.add_argument("--input", type=json_text, metavar="JSON", help="the whole input, instead of ARGs")
    parser.add_argument("--id", help="the id of the execution (made up if not said)")
    parser.add_argument("--queue", default="default", help="where workers look for it (default)")
    parser.add_argument("--if-exists", choices=("raise", "return"), default="raise", help="when the id is taken")
    parser.add_argument("--recreate", action="store_true", help="begin again under an id that was deleted")
    parser.add_argument("--delay", type=duration, metavar="DURATION", help="not before so long from now")
    parser.add_argument("--timeout", type=duration, metavar="DURATION", help="ask it to cancel after so long")
    parser.add_argument("-w", "--wait", action="store_true", help="wait for its end and print the result")
    declare_server(parser)
    declare_json(parser)


async def _start(args: Namespace, session: Session) -> Exit:
    name, _, version = args.workflow.partition("@")
    call = c.Start(
        namespace=args.namespace,
        execution_id=args.id or make_id(name),
        batch_id=secrets.token_hex(16),
        workflow=name,
        code_version=version or "0",
        queue=args.queue,
        input=args.input if args.input is not None else read_input(args.args),
        if_exists=args.if_exists,
        recreate=args.recreate,
        delay_ms=args.delay,
        timeout_ms=args.timeout,
    )
    async with session.connect(args.url) as server:
        started = await server.store.start(call)
        if args.wait:
            return await report_end(server.store, session.output, call.namespace, call.execution_id, None)
    execution = started.execution
    session.output.word(started, execution.execution_id)
    done = "started" if started.created else "was there already"
    session.output.note(f"{done}: incarnation {execution.incarnation}, {started.status}")
    session.output.hint(f"loom result {execution.execution_id}", "waits for the end and prints the result")
    return Exit.COMPLETED


def make_id(workflow: str) -> ExecutionId:
    """An id nobody has: the workflow's name, as far as an id may hold it, and chance."""
    name = "".join(char if char.isascii() and (char.isalnum() or char in "._-") else "-" for char in workflow)
    return ExecutionId(f"{name[:150]}-{secrets.token_hex(4)}")


def read_input(args: list[RawJson]) -> RawJson:
    """The input as the SDK writes it: the list of arguments."""
    return RawJson(f"[{','.join(args)}]")


# --- send, cancel, terminate, fail ------------------------------------------------------------------------------------


def _declare_send(parser: ArgumentParser) -> None:
    declare_execution(parser)
    parser.add_argument("name", metavar="NAME", help="the name a wait_event gives")
    parser.add_argument("payload", metavar="PAYLOAD", nargs="?", type=json_or_text, help="JSON, or else text")
    parser.add_argument("--key", help="the key a wait_event gives")
    parser.add_argument("--id", metavar="MESSAGE", help="the message's id: sent again it counts once (made up)")
    parser.add_argument("--chain", type=_seen(Chain), default=ANY, help="only if this chain lives there")
    parser.add_argument("--start", metavar="WORKFLOW", help="what to start if the id is free: name or name@version")
    parser.add_argument(
        "--arg", action="append", type=json_or_text, metavar="ARG", help="of what is started; repeatable"
    )
    parser.add_argument("--queue", default="default", help="of what is started (default)")
    declare_json(parser)


async def _send(args: Namespace, session: Session) -> Exit:
    call = c.Send(
        namespace=args.namespace,
        execution_id=args.execution,
        chain=args.chain,
        message_id=args.id or secrets.token_hex(16),
        name=args.name,
        key=args.key,
        payload=args.payload if args.payload is not None else NULL,
        start=None if args.start is None else read_start(args.start, args.arg or [], args.queue),
    )
    async with session.connect(args.url) as server:
        sent = await server.store.send(call)
    session.output.word(
        {"message_id": call.message_id, "inbox_seq": sent.inbox_seq, "resumed": sent.resumed}, call.message_id
    )
    session.output.note(
        "the execution was waiting for it" if sent.resumed else "kept in the inbox until it is waited for"
    )
    return Exit.COMPLETED


def read_start(workflow: str, args: list[RawJson], queue: str) -> c.StartIfAbsent:
    """How the receiver is started if there is none."""
    name, _, version = workflow.partition("@")
    return c.StartIfAbsent(workflow=name, code_version=version or "0", queue=queue, input=read_input(args))


def _declare_cancel(parser: ArgumentParser) -> None:
    declare_execution(parser)
    parser.add_argument("--reason", help="kept in the log")
    parser.add_argument("--deadline", type=duration, metavar="DURATION", help="terminate it after so long (10m)")
    parser.add_argument("--chain", type=_seen(Chain), default=ANY, help="only if this chain lives there")
    declare_json(parser)


async def _cancel(args: Namespace, session: Session) -> Exit:
    call = c.Cancel(
        namespace=args.namespace,
        execution_id=args.execution,
        chain=args.chain,
        reason=args.reason,
        deadline_ms=args.deadline,
        batch_id=secrets.token_hex(16),
    )
    async with session.connect(args.url) as server:
        asked = await server.store.cancel(call)
    session.output.word(asked, asked.status)
    if asked.cancel_seq is not None:
        session.output.note(f"asked at event {asked.cancel_seq}: its body sees CancelledError and may clean up")
        session.output.hint(f"loom result {args.execution}", "waits until it has ended")
    return Exit.COMPLETED


def _declare_terminate(parser: ArgumentParser) -> None:
    declare_execution(parser)
    parser.add_argument("--reason", help="kept in the log")
    _declare_incarnation(parser)
    declare_json(parser)


async def _terminate(args: Namespace, session: Session) -> Exit:
    call = c.Terminate(
        namespace=args.namespace,
        execution_id=args.execution,
        incarnation=args.incarnation,
        reason=args.reason,
        batch_id=secrets.token_hex(16),
    )
    async with session.connect(args.url) as server:
        return _report_ended(session, await server.store.terminate(call))


def _declare_fail(parser: ArgumentParser) -> None:
    declare_execution(parser)
    parser.add_argument("--message", default="failed by an operator", help="what it failed of")
    parser.add_argument("--type", default="Failed", help="the name of the failure's type")
    _declare_incarnation(parser)
    declare_json(parser)


async def _fail(args: Namespace, session: Session) -> Exit:
    failure = {"type": args.type, "message": args.message, "details": None, "traceback": ""}
    call = c.Fail(
        namespace=args.namespace,
        execution_id=args.execution,
        incarnation=args.incarnation,
        failure=RawJson.of(failure),
        batch_id=secrets.token_hex(16),
    )
    async with session.connect(args.url) as server:
        return _report_ended(session, await server.store.fail(call))


def _report_ended(session: Session, ended: c.Ended) -> Exit:
    session.output.word(ended, ended.status)
    session.output.note(
        f"ended at event {ended.seq}; whoever owned it can write no more, the token is {ended.token.shown}"
    )
    return Exit.COMPLETED


# --- evict ------------------------------------------------------------------------------------------------------------


def _declare_evict(parser: ArgumentParser) -> None:
    declare_execution(parser)
    parser.add_argument("--reason", help="kept in the log")
    parser.add_argument("--token", type=read_token, metavar="TOKEN", help="only if this token is current, as 1.7")
    _declare_incarnation(parser)
    declare_json(parser)


async def _evict(args: Namespace, session: Session) -> Exit:
    async with session.connect(args.url) as server:
        seen = await server.store.read_head(c.ReadHead(namespace=args.namespace, execution_id=args.execution))
        call = c.Evict(
            namespace=args.namespace,
            execution_id=args.execution,
            incarnation=seen.incarnation if args.incarnation == ANY else args.incarnation,
            token=seen.token if args.token is None else args.token,
            reason=args.reason,
        )
        released = await server.store.evict(call)
    session.output.word(released, released.token.shown)
    session.output.note(f"taken from {seen.owner}, which can write no more; runnable under {released.token.shown}")
    return Exit.COMPLETED


def read_token(text: str) -> Token:
    """A token as people see it, `epoch.counter`, or as JSON has it."""
    epoch, dot, counter = text.partition(".")
    return Token.parse(str((int(epoch) << 32) | int(counter))) if dot else Token.parse(text)


# --- resume -----------------------------------------------------------------------------------------------------------


def _declare_resume(parser: ArgumentParser) -> None:
    declare_execution(parser)
    parser.add_argument("--park", type=int, metavar="SEQ", help="only if it is parked there (the open park)")
    parser.add_argument("--wait", metavar="WAIT", help="answer this wait (an operator's, if there is one)")
    _declare_incarnation(parser)
    declare_json(parser)


async def _resume(args: Namespace, session: Session) -> Exit:
    async with session.connect(args.url) as server:
        seen = c.ReadPark(namespace=args.namespace, execution_id=args.execution, incarnation=args.incarnation)
        park = await server.store.read_park(seen)
        resumed = await server.store.resume(plan_resume(park, args.park, args.wait))
    session.output.word(resumed, f"event {resumed.resumed_seq}")
    session.output.note(f"runnable under token {resumed.token.shown}, until a worker claims it")
    return Exit.COMPLETED


def plan_resume(park: c.OpenPark, park_seq: int | None, wait: str | None) -> c.Resume:
    """The resume of the park that was read: of `wait`, else of an operator's wait, else with nothing answered.

    Raises NotParked when there is none, or another than `park_seq`; ResumeContended on an unknown tail.
    """
    where = {"execution_id": park.execution.execution_id, "incarnation": park.execution.incarnation}
    if park.unknown_tail:
        raise ResumeContended("a newer server answered the park; only terminate works here", **where)
    if park.park_seq is None:
        raise NotParked(f"it is {park.status}, there is no open park", **where)
    if park_seq not in (None, park.park_seq):
        raise NotParked(f"it is parked at {park.park_seq}, not at {park_seq}", park_seq=park.park_seq, **where)
    operator = next((each.id for each in park.waits if isinstance(each, p.OperatorWait)), None)
    return c.Resume(
        namespace=park.execution.namespace,
        execution_id=park.execution.execution_id,
        incarnation=park.execution.incarnation,
        park_seq=park.park_seq,
        wait=wait or operator,
        batch_id=secrets.token_hex(16),
    )


# --- what they share --------------------------------------------------------------------------------------------------


def _seen(kind: type[DecimalString]) -> Callable[[str], DecimalString | str]:
    """An argument of the parser: what the person saw, or `*`, whatever lives there."""

    def read(text: str) -> DecimalString | str:
        return text if text == ANY else kind.parse(text)

    read.__name__ = kind.__name__.lower()
    return read


def _declare_incarnation(parser: ArgumentParser) -> None:
    kind = _seen(Incarnation)
    parser.add_argument("--incarnation", type=kind, default=ANY, help="only if this incarnation lives there")


COMMANDS = (
    Command("start", "start an execution of a workflow", _declare_start, _start),
    Command("send", "send a message to an execution", _declare_send, _send),
    Command("cancel", "ask an execution to stop; it may clean up", _declare_cancel, _cancel),
    Command("terminate", "end an execution at once", _declare_terminate, _terminate),
    Command("fail", "end an execution as failed", _declare_fail, _fail),
    Command("evict", "take a running execution from its owner", _declare_evict, _evict),
    Command("resume", "open a park again, above all one that is blocked", _declare_resume, _resume),
)
