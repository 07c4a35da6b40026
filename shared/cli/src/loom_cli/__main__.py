"""The `loom` command: the list of commands, and what becomes of their errors."""

from __future__ import annotations

import asyncio
import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from difflib import get_close_matches
from io import TextIOWrapper
from typing import TextIO

from loom.errors import LoomError
from loom_cli import (
    acts,
    conformance,
    dev,
    features,
    healthcheck,
    kafka,
    migrate,
    new,
    reports,
    restore,
    services,
    work,
)
from loom_cli.command import Command, Connect, Session
from loom_cli.connection import connect
from loom_cli.exits import Exit, exit_of_error
from loom_cli.output import Output
from loom_servicekit.settings import SettingsError
from loom_servicekit.telemetry import exporting, is_wanted, tracing_settings

COMMANDS: tuple[Command, ...] = (
    dev.COMMAND,
    new.COMMAND,
    work.COMMAND,
    *acts.COMMANDS,
    *reports.COMMANDS,
    conformance.COMMAND,
    migrate.COMMAND,
    restore.COMMAND,
    features.COMMAND,
    *kafka.COMMANDS,
    *services.COMMANDS,
    healthcheck.COMMAND,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the number the process ends with."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        return asyncio.run(run(sys.argv[1:] if argv is None else argv, connect, sys.stdout, sys.stderr))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever read our output has left: there is nothing to say, and nobody to say it to
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.COMPLETED


async def run(words: Sequence[str], connect: Connect, stdout: TextIO, stderr: TextIO) -> int:
    """Run the command that the words spell; a store's no becomes a message and a number, never a traceback."""
    if not words or words[0] in ("-h", "--help", "help"):
        print(_overview(), file=stdout)
        return Exit.COMPLETED
    command = next((command for command in COMMANDS if command.name == words[0]), None)
    if command is None:
        print(f"loom: there is no command {words[0]}: {_meant(words[0])}", file=stderr)
        return Exit.USAGE
    try:
        args = parser_of(command).parse_intermixed_args(words[1:])
    except SystemExit as stop:  # --help, or what was wrong, is printed
        return int(stop.code or 0)
    output = Output(json=args.json, stdout=stdout, stderr=stderr)
    try:
        with _traced(command):
            return await command.run(args, Session(output=output, connect=connect))
    except LoomError as error:
        output.problem(error, getattr(args, "url", None))
        return exit_of_error(error)
    except SettingsError as error:
        output.note(f"loom: settings: {error}")
        return Exit.USAGE


def parser_of(command: Command) -> ArgumentParser:
    """The parser of one command's words."""
    parser = ArgumentParser(prog=f"loom {command.name}", description=command.summary, allow_abbrev=False)
    command.declare(parser)
    return parser


def _traced(command: Command) -> AbstractContextManager[None]:
    """Whoever types a command wants to see what it does: what it begins is recorded whole. Raises SettingsError."""
    if command.service is None or not is_wanted(os.environ):
        return nullcontext()
    ratio = 1.0 if command.service == "client" else 0.1
    return exporting(command.service, tracing_settings(os.environ, ratio=ratio))


def _meant(name: str) -> str:
    near = get_close_matches(name, [command.name for command in COMMANDS], 1)
    return f"did you mean {near[0]}?" if near else "loom --help lists them"


def _overview() -> str:
    width = max(len(command.name) for command in COMMANDS)
    commands = [f"  {command.name:{width}}  {command.summary}" for command in COMMANDS]
    exits = [f"  {exit:d}  {exit.meaning}" for exit in Exit]
    return "\n".join(
        [
            "loom: keep long-running work alive",
            "",
            "commands (loom COMMAND --help):",
            *commands,
            "",
            "exit codes:",
            *exits,
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
