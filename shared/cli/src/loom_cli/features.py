"""`loom features`: what the fleet may write, and who is in it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from loom.kernel import calls as c
from loom.kernel.features import FEATURES, NODE_LIVE_MS
from loom.kernel.heads import Node
from loom_cli.command import Command, Session, declare_json, declare_server
from loom_cli.durations import show_instant
from loom_cli.exits import Exit
from loom_cli.output import Output
from loom_cli.sheets import Sheet


def _declare(parser: ArgumentParser) -> None:
    parser.add_argument("act", metavar="ACT", nargs="?", choices=("on", "off"), help="on or off; without it: list")
    parser.add_argument("name", metavar="NAME", nargs="?", help="the feature to turn on or off")
    declare_server(parser)
    declare_json(parser)


async def _features(args: Namespace, session: Session) -> Exit:
    if (args.act is None) is not (args.name is None):
        session.output.note("loom: say which feature: loom features on NAME")
        return Exit.USAGE
    async with session.connect(args.url) as server:
        if args.act is not None:
            call = c.SwitchFeature(name=args.name, on=args.act == "on")
            switched = await server.store.switch_feature(call)
            session.output.word(switched, f"{args.name} is {args.act}")
            return Exit.COMPLETED
        _show(await server.store.read_store(c.ReadStore()), session.output)
    return Exit.COMPLETED


def _show(info: c.StoreInfo, output: Output) -> None:
    """Features, then nodes. A node that was silent for long is one that was: it keeps nothing from being turned on."""
    known = sorted({*FEATURES, *info.features, *(name for node in info.fleet for name in node.features)})
    features = tuple((name, "on" if name in info.features else "off") for name in known)
    now = max((node.seen_at for node in info.fleet), default=0)
    nodes = tuple(_row(node, now) for node in info.fleet)
    document = {"features": dict(features), "fleet": info.fleet}
    output.result(
        document,
        Sheet(("feature", "is"), features),
        Sheet(("instance", "role", "version", "knows", "seen", ""), nodes, "The fleet"),
    )


def _row(node: Node, now: int) -> tuple[str, ...]:
    knows = ", ".join(node.features) or "none"
    silent = "" if node.seen_at > now - NODE_LIVE_MS else "silent"
    return node.instance, node.role, node.version, knows, show_instant(node.seen_at), silent


COMMAND = Command("features", "list the fleet and its features, turn one on or off", _declare, _features)
