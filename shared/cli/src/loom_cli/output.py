"""Where a command's words go: results on stdout, everything else on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from loom.errors import LoomError
from loom.kernel.raw_json import encode
from loom_cli.advice import advise
from loom_cli.exits import exit_of_error
from loom_cli.sheets import Block, Facts, Sheet, lay_out, visible

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

_STYLES = {
    "completed": "green",
    "running": "cyan",
    "runnable": "cyan",
    "parked": "blue",
    "pending": "blue",
    "blocked": "bold yellow",
    "cancelled": "magenta",
    "failed": "bold red",
    "deleted": "dim",
    "refused": "bold red",
}


class Output:
    """`json`: one document on stdout instead of tables, problems as JSON on stderr.

    A stream that is no terminal gets plain lines: no colour, no frames, nothing cut.
    """

    def __init__(self, *, json: bool = False, stdout: TextIO | None = None, stderr: TextIO | None = None) -> None:
        self.json = json
        self._stdout = stdout or sys.stdout
        self._stderr = stderr or sys.stderr

    def result(self, document: Any, *blocks: Block) -> None:
        """What was asked for: `document` with --json, else the blocks, or the document itself if there are none."""
        if self.json or not blocks:
            self._print(encode(document))
            return
        for place, block in enumerate(blocks):
            if place:
                self._print("")
            self._show(block)

    def word(self, document: Any, word: str) -> None:
        """A result of one word, for the next command in a script; `document` with --json."""
        self._print(encode(document) if self.json else visible(word))

    def note(self, text: str) -> None:
        """Something worth knowing that nobody asked for."""
        print(visible(text), file=self._stderr, flush=True)

    def hint(self, command: str, why: str = "") -> None:
        """The command that usually follows. Not said to a program."""
        if not self.json:
            self.note(f"next: {command}" + (f"   # {why}" if why else ""))

    def problem(self, error: LoomError, url: str | None = None) -> None:
        """A store's no: its code, the ids involved, what to do."""
        advice = advise(error, url)
        if self.json:
            form = {"code": error.code, "detail": error.detail, "exit": int(exit_of_error(error)), "next": advice}
            print(encode({**_plain(error.facts), **form}), file=self._stderr, flush=True)
            return
        self.note(f"loom: {error.code}: {error.detail}")
        for name, fact in error.facts.items():
            self.note(f"  {name}  {fact}")
        if advice:
            self.note(f"  next: {advice}")

    @contextmanager
    def progress(self) -> Iterator[Callable[[str], None]]:
        """Says how waiting goes: in place on a terminal, else a line whenever the words change, for --json nothing."""
        if self.json:
            yield lambda text: None
            return
        if self._stderr.isatty():
            with _console(self._stderr).status("") as status:
                yield lambda text: status.update(_text(text))
            return
        last = ""

        def say(text: str) -> None:
            nonlocal last
            if text != last:
                self.note(text)
            last = text

        yield say

    def _show(self, block: Block) -> None:
        if self._stdout.isatty():
            _console(self._stdout).print(_drawn(block))
            return
        for line in lay_out(block):
            self._print(line)

    def _print(self, line: str) -> None:
        print(line, file=self._stdout, flush=True)


def _plain(facts: dict[str, Any]) -> dict[str, Any]:
    return {name: fact if isinstance(fact, int | str | bool) else str(fact) for name, fact in facts.items()}


def _console(stream: TextIO) -> Console:
    from rich.console import Console

    return Console(file=stream, highlight=False, markup=False, emoji=False)


def _text(text: str) -> RenderableType:
    from rich.text import Text

    return Text(visible(text), style=_STYLES.get(text, ""))


def _drawn(block: Block) -> RenderableType:
    from rich import box
    from rich.table import Table

    match block:
        case Facts(pairs):
            grid = Table.grid(padding=(0, 2))
            grid.add_column(style="dim")
            grid.add_column(overflow="fold")
            for name, fact in pairs:
                grid.add_row(_text(name), _text(fact))
            return grid
        case Sheet(columns, rows, title):
            table = Table(box=box.SIMPLE_HEAD, title=title or None, title_justify="left", pad_edge=False)
            for column in columns:
                table.add_column(column, overflow="fold")
            for row in rows:
                table.add_row(*map(_text, row))
            return table
