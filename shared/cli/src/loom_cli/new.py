"""`loom new`: one finished workflow in one file."""

from __future__ import annotations

import keyword
import re
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path

from loom_cli.command import Command, Session, declare_json
from loom_cli.exits import Exit

_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}")

TEMPLATE = '''"""A first workflow. `loom run NAME.py` works on it, `loom start NAME Ada --wait` starts one."""

import loom


@loom.step
async def greet(name: str) -> str:
    """Steps meet the world. What a step returned is kept: it does not run again."""
    return f"Hello, {name}!"


@loom.workflow
async def NAME(ctx: loom.Context, name: str = "world") -> str:
    """Kill the worker during the sleep and run it again: it goes on here, and greets nobody twice."""
    greeting = await ctx.step("greet", greet, name)
    await ctx.sleep(1)
    return greeting
'''


def _declare(parser: ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", type=_name, help="the workflow's name; NAME.py is written here")
    declare_json(parser)


async def _new(args: Namespace, session: Session) -> Exit:
    path = Path(f"{args.name}.py")
    if not _write(path, TEMPLATE.replace("NAME", args.name)):
        session.output.note(f"loom: {path} is there already; nothing was written")
        return Exit.USAGE
    session.output.word({"path": str(path), "workflow": args.name}, str(path))
    session.output.hint("loom dev", "in a terminal of its own")
    session.output.hint(f"loom run {path}", "works on it, in another one")
    session.output.hint(f"loom start {args.name} Ada --wait", "starts one and prints the result")
    return Exit.COMPLETED


def _write(path: Path, text: str) -> bool:
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        return False
    return True


def _name(text: str) -> str:
    name = text.replace("-", "_")
    if not _NAME.fullmatch(name) or keyword.iskeyword(name) or name == "loom":
        raise ArgumentTypeError(f"{text!r} does not name a Python function: small letters, digits and _")
    return name


COMMAND = Command("new", "write a first workflow, one file", _declare, _new)
