import re
from argparse import SUPPRESS, Action
from pathlib import Path

import pytest

from loom_cli.__main__ import COMMANDS, parser_of
from loom_cli.command import DEFAULT_URL, Command
from loom_cli.exits import Exit

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "cli.md"
EVERYWHERE = {"url", "namespace", "json", "help"}  # told once, at the top


def section(title: str) -> str:
    """What stands under a heading of the document."""
    parts = re.split(r"^#+ (.*)$", DOCUMENT.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True)).get(title, "")


def rows_of(text: str) -> list[tuple[str, str]]:
    """The rows of a table, without its head."""
    rows = [tuple(cell.strip() for cell in line.strip("|").split(" | ")) for line in text.splitlines() if "|" in line]
    return [(first, second) for first, second in rows[2:]]


def row_of(action: Action) -> tuple[str, str]:
    """An argument as the document shows it: how it is written, and its help."""
    value = action.metavar or (None if action.nargs == 0 else "|".join(action.choices or [action.dest.upper()]))
    if not action.option_strings:
        return f"`{value}`", str(action.help)
    written = ", ".join(f"`{name} {value}`" if value else f"`{name}`" for name in action.option_strings)
    return written.replace("|", "\\|"), str(action.help or "")


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_the_document_says_what_the_parser_takes(command: Command) -> None:
    """A document that lies is worse than none: every argument stands there with the words of its help, and no other."""
    actions = [action for action in parser_of(command)._actions if action.dest not in EVERYWHERE]
    told = section(f"loom {command.name}")

    assert command.summary.lower() in " ".join(told.lower().split())
    assert rows_of(told) == [row_of(action) for action in actions if action.help is not SUPPRESS]


def test_the_document_tells_no_command_that_is_none() -> None:
    """Negative control for the rule above."""
    told = re.findall(r"^### loom (.*)$", DOCUMENT.read_text(encoding="utf-8"), flags=re.MULTILINE)

    assert told == [command.name for command in COMMANDS]
    assert section("loom evaporate") == ""


def test_the_document_has_the_table_of_exit_codes() -> None:
    """Design 5: one table."""
    assert rows_of(section("Exit codes")) == [(f"{exit:d}", exit.meaning) for exit in Exit]


def test_the_document_says_where_a_server_is_looked_for() -> None:
    """`loom dev` serves where every other command looks."""
    assert DEFAULT_URL in section("Where the server is")
