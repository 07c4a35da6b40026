"""`loom run`: a worker for the workflows of one file or module."""

from __future__ import annotations

import asyncio
import logging
import secrets
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from loom.kernel import calls as c
from loom.stores.event_store import EventStore
from loom_cli.acts import make_id, read_input
from loom_cli.command import Command, Session, declare_json, declare_server, json_or_text
from loom_cli.exits import Exit
from loom_cli.output import Output
from loom_cli.reports import report_end
from loom_cli.targets import NoTarget, find_workflows, list_parameters

if TYPE_CHECKING:
    from loom.worker.registry import Workflow


def _declare(parser: ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", help="hello.py, a module, or one workflow of it: hello.py:hello")
    parser.add_argument("args", metavar="ARG", nargs="*", type=json_or_text, help="with --start: JSON, or else text")
    parser.add_argument("--start", action="store_true", help="start the workflow, print its result, then stop")
    parser.add_argument("--queue", default="default", help="where to look for work (default)")
    declare_server(parser)
    declare_json(parser)


async def _run(args: Namespace, session: Session) -> Exit:
    output = session.output
    try:
        workflows = find_workflows(args.target)
    except NoTarget as nothing:
        output.note(f"loom: no-target: {nothing}")
        return Exit.USAGE
    if args.start and len(workflows) > 1:
        names = ", ".join(f"{args.target}:{workflow.name}" for workflow in workflows)
        output.note(f"loom: which-one: --start starts one workflow: {names}")
        return Exit.USAGE
    return await _work(args, session, workflows)


async def _work(args: Namespace, session: Session, workflows: tuple[Workflow[..., Any], ...]) -> Exit:
    from loom.worker.runner import Worker, WrongStore, stop_on_signals

    async with session.connect(args.url) as server:
        await server.store.read_store(c.ReadStore())  # nobody there is said at once, not after a while of trying
        worker = Worker(args.url, workflows, queue=args.queue, namespace=args.namespace)
        stop_on_signals(worker.stop)
        _tell(args, session.output, workflows, worker.owner)
        working = asyncio.create_task(worker.run())
        try:
            if args.start:
                return await _start(args, session.output, server.store, workflows[0], working)
            await working
        except WrongStore as wrong:
            session.output.note(f"loom: wrong-store: {wrong}: use a worker and a server of one version")
            return Exit.FAILED
        finally:
            worker.stop()
            await asyncio.wait({working})
    return Exit.COMPLETED


async def _start(
    args: Namespace, output: Output, store: EventStore, workflow: Workflow[..., Any], working: asyncio.Task[None]
) -> Exit:
    """Start one and report on its end, or on nothing when the worker was told to stop before."""
    call = c.Start(
        namespace=args.namespace,
        execution_id=make_id(workflow.name),
        batch_id=secrets.token_hex(16),
        workflow=workflow.name,
        code_version=workflow.version,
        queue=args.queue,
        input=read_input(args.args),
    )
    await store.start(call)
    ending = asyncio.ensure_future(report_end(store, output, call.namespace, call.execution_id, None))
    await asyncio.wait({ending, working}, return_when=asyncio.FIRST_COMPLETED)
    if ending.done():
        return ending.result()
    ending.cancel()
    await working
    output.hint(f"loom result {call.execution_id}", "it goes on where a worker is")
    return Exit.COMPLETED


def _tell(args: Namespace, output: Output, workflows: Iterable[Workflow[..., Any]], owner: str) -> None:
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    for workflow in workflows:
        output.note(f"{owner} works on {workflow.key} from {args.namespace}/{args.queue} at {args.url}")
        if not args.start:
            version = "" if workflow.version == "0" else f"@{workflow.version}"
            words = " ".join((workflow.name + version, *list_parameters(workflow), "--wait"))
            output.hint(f"loom start {words}")


COMMAND = Command("run", "work on the workflows of a file or a module", _declare, _run, service="worker")
