"""What a command shows: facts and tables of plain text. How they look is decided where they are printed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Facts:
    """Names and what holds for them, one a line."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table. Every row has as many cells as there are columns."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""


Block = Facts | Sheet


def visible(text: str) -> str:
    """The text with everything a terminal would obey spelled out: what strangers wrote never moves the cursor."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)


def shorten(text: str, length: int) -> str:
    """At most `length` characters, the last an ellipsis if some were cut."""
    return text if len(text) <= length else text[: length - 1] + "…"


def lay_out(block: Block) -> Iterable[str]:
    """The lines of a block for a file or a pipe: columns two spaces apart, no colour, nothing cut or wrapped."""
    match block:
        case Facts(pairs):
            yield from _lines(pairs)
        case Sheet(columns, rows, title):
            if title:
                yield title
            yield from _lines((tuple(name.upper() for name in columns), *rows))


def _lines(rows: Iterable[tuple[str, ...]]) -> Iterable[str]:
    shown = [tuple(map(visible, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    for row in shown:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
