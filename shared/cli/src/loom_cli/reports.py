"""What a person asks of executions: list, show, result, why, ownership, trace."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from loom.ids import ExecutionId, Sequence
from loom.ids import Namespace as NamespaceName
from loom.kernel import calls as c
from loom.kernel.events import Event
from loom.kernel.heads import Head, Status
from loom.kernel.parks import Edge
from loom.stores.event_store import EventStore
from loom_cli.causes import draw_causes, read_causes
from loom_cli.command import Command, Session, declare_execution, declare_json, declare_server, duration
from loom_cli.exits import Exit
from loom_cli.logs import read_ending, read_slice
from loom_cli.output import Output
from loom_cli.sheets import Block
from loom_cli.tables import list_counts, list_edges, list_events, list_heads, tell_head
from loom_cli.timeline import tell_event
from loom_cli.tokens import draw_tenures, list_tenures, tell_ownership
from loom_cli.traces import draw_traces, list_traces
from loom_cli.waiting import Standing, await_end
from loom_cli.waits import why_blocked

# --- list -------------------------------------------------------------------------------------------------------------


_STORED = {"runnable": Status.RUNNING, "blocked": Status.PARKED}  # what is shown, but not stored
_PAGE = 500


def _declare_list(parser: ArgumentParser) -> None:
    words = (*(status.value for status in Status), *_STORED)
    parser.add_argument(
        "--status", action="append", choices=words, metavar="STATUS", help=f"{', '.join(words)}; repeatable"
    )
    parser.add_argument("--workflow", help="only of this name")
    parser.add_argument("--prefix", help="only ids that begin so")
    parser.add_argument("--limit", type=int, default=50, help="at most so many, newest first (50)")
    parser.add_argument("--counts", action="store_true", help="how many of each status, instead")
    declare_server(parser)
    declare_json(parser)


async def _list(args: Namespace, session: Session) -> Exit:
    async with session.connect(args.url) as server:
        if args.counts:
            counts = await server.store.count_executions(c.CountExecutions(namespace=args.namespace))
            session.output.result(counts, list_counts(counts.counts))
            return Exit.COMPLETED
        heads, more = await _read_heads(server.store, args)
    session.output.result({"items": heads, "more": more}, list_heads(heads))
    if not heads:
        session.output.hint("loom start WORKFLOW", f"nothing of that kind in namespace {args.namespace}")
    elif more:
        session.output.note(f"the newest {len(heads)}; --limit shows more")
    return Exit.COMPLETED


async def _read_heads(store: EventStore, args: Namespace) -> tuple[tuple[Head, ...], bool]:
    """The newest heads that the arguments describe, and whether there are more."""
    wanted = set(args.status or ())
    heads: list[Head] = []
    cursor = None
    while len(heads) <= args.limit:
        call = c.ListExecutions(
            namespace=args.namespace,
            statuses=tuple({_STORED.get(word) or Status(word) for word in wanted}) or None,
            workflow=args.workflow,
            id_prefix=args.prefix,
            cursor=cursor,
            limit=min(_PAGE, args.limit + 1),
        )
        page = await store.list_executions(call)
        heads.extend(head for head in page.items if not wanted or {head.status.value, head.shown} & wanted)
        cursor = page.cursor
        if cursor is None:
            break
    return tuple(heads[: args.limit]), len(heads) > args.limit


# --- show -------------------------------------------------------------------------------------------------------------


def _declare_show(parser: ArgumentParser) -> None:
    declare_execution(parser)
    parser.add_argument("--last", type=int, default=100, metavar="N", help="the newest N events of the timeline (100)")
    parser.add_argument("--all", action="store_true", help="the whole timeline")
    declare_json(parser)


async def _show(args: Namespace, session: Session) -> Exit:
    async with session.connect(args.url) as server:
        head = await _read_head(server.store, args)
        if head.status is Status.DELETED:
            session.output.result({"head": head, "children": (), "events": ()}, tell_head(head))
            return Exit.NOT_FOUND
        first = 1 if args.all else max(1, head.last_seq - args.last + 1)
        events = await read_slice(server.store, head, first, head.last_seq)
        children = await _read_children(server.store, head)
        ending = await read_ending(server.store, head)
    blocks: list[Block] = [tell_head(head)]
    if children:
        blocks.append(list_edges(children))
    blocks.append(list_events(events, head.created_at))
    session.output.result({"head": head, "children": children, "events": events}, *blocks)
    if first > 1:
        session.output.note(f"{first - 1} earlier events: --all")
    return Standing(head=head, ending=ending).exit


async def _read_head(store: EventStore, args: Namespace) -> Head:
    return await store.read_head(c.ReadHead(namespace=args.namespace, execution_id=args.execution))


async def _read_children(store: EventStore, head: Head) -> tuple[Edge, ...]:
    call = c.ReadChildren(namespace=head.namespace, execution_id=head.execution_id, incarnation=head.incarnation)
    return (await store.read_children(call)).items


# --- result -----------------------------------------------------------------------------------------------------------


def _declare_result(parser: ArgumentParser) -> None:
    declare_execution(parser)
    parser.add_argument("--timeout", type=duration, metavar="DURATION", help="wait no longer (exit 8); 0 only looks")
    declare_json(parser)


async def _result(args: Namespace, session: Session) -> Exit:
    async with session.connect(args.url) as server:
        return await report_end(server.store, session.output, args.namespace, args.execution, args.timeout)


async def report_end(
    store: EventStore, output: Output, namespace: NamespaceName, execution: ExecutionId, timeout_ms: int | None
) -> Exit:
    """Wait for the end, say how it goes, print the result. Shared by result, start --wait and run --start."""
    with output.progress() as say:
        standing = await await_end(store, namespace, execution, timeout_ms=timeout_ms, say=say)
    if standing is None:
        output.note("loom: timed out before it ended; it goes on")
        output.hint(f"loom why {execution}")
        return Exit.TIMED_OUT
    _tell_end(output, standing)
    return standing.exit


def _tell_end(output: Output, standing: Standing) -> None:
    head = standing.head
    if output.json:
        form = {"execution": head.ref, "status": head.shown, "token": head.token, "ended_at": head.ended_at}
        output.result(form | {"outcome": standing.payload, "waits": head.waits})
    elif head.status is Status.COMPLETED:
        output.result(standing.payload)
    elif standing.ending is not None:
        output.note(f"loom: {head.execution_id} {head.status}: {tell_event(standing.ending)}")
        output.hint(f"loom show {head.execution_id}")
    else:
        output.note(f"loom: {head.execution_id} is blocked: {why_blocked(head.waits)}")
        output.hint(f"loom resume {head.execution_id}", "or loom fail, cancel, terminate")


# --- why --------------------------------------------------------------------------------------------------------------


async def _why(args: Namespace, session: Session) -> Exit:
    async with session.connect(args.url) as server:
        causes = await read_causes(server, args.namespace, args.execution)
        head = causes[0].head
        standing = Standing(head=head, ending=await read_ending(server.store, head))
    session.output.result({"causes": causes}, draw_causes(causes))
    _hint_remedy(session.output, head, {reason.code for reason in causes[0].reasons})
    return standing.exit


def _hint_remedy(output: Output, head: Head, codes: set[str]) -> None:
    if "no-worker" in codes:
        output.hint("loom run FILE", f"works on queue {head.queue}")
    elif "blocked" in codes:
        output.hint(f"loom resume {head.execution_id}", "or loom fail, cancel, terminate")
    elif "message" in codes:
        output.hint(f"loom send {head.execution_id} NAME PAYLOAD")


# --- ownership --------------------------------------------------------------------------------------------------------


async def _ownership(args: Namespace, session: Session) -> Exit:
    async with session.connect(args.url) as server:
        call = c.ReadOwnership(namespace=args.namespace, execution_id=args.execution)
        ownership = await server.store.read_ownership(call)
        head = await _read_head(server.store, args)
        first_events = await _read_first_events(server.store, head, ownership)
    tenures = list_tenures(ownership, first_events)
    form = {"token": ownership.token, "owner": ownership.owner, "lease_until": ownership.lease_until}
    session.output.result(form | {"tokens": tenures}, tell_ownership(ownership), draw_tenures(tenures))
    return Exit.COMPLETED


async def _read_first_events(store: EventStore, head: Head, ownership: c.Ownership) -> dict[Sequence, Event]:
    """By sequence, the first event of each token that has no grant row."""
    granted = {grant.token for grant in ownership.grants}
    firsts = [write.first_seq for write in ownership.writes if write.token not in granted]
    events = [event for seq in firsts for event in await read_slice(store, head, seq, seq)]
    return {event.seq: event for event in events}


# --- trace ------------------------------------------------------------------------------------------------------------


async def _trace(args: Namespace, session: Session) -> Exit:
    async with session.connect(args.url) as server:
        head = await _read_head(server.store, args)
        traces = list_traces(await read_slice(server.store, head, 1, head.last_seq))
    session.output.result({"execution": head.ref, "traces": traces}, draw_traces(traces))
    if not traces:
        session.output.note(f"no event of {head.execution_id} was traced: set OTEL_EXPORTER_OTLP_ENDPOINT")
    return Exit.COMPLETED


def _declare_execution(parser: ArgumentParser) -> None:
    declare_execution(parser)
    declare_json(parser)


COMMANDS = (
    Command("list", "list executions, newest first", _declare_list, _list),
    Command("show", "an execution's head, children and timeline", _declare_show, _show),
    Command("result", "wait for the end and print the result", _declare_result, _result),
    Command("why", "why an execution is not moving", _declare_execution, _why),
    Command("ownership", "who held which token, and which late writes were refused", _declare_execution, _ownership),
    Command("trace", "the traces of an execution, and their links", _declare_execution, _trace),
)
