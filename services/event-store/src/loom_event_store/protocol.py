"""The tables of docs/protocol.md, made of what the code decides by. `make openapi` keeps them in the document."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import fields
from pathlib import Path

from loom.errors import ERRORS
from loom.kernel.heads import ENDED, LIVE
from loom.kernel.kinds import EventKind
from loom.kernel.legality import CALL_OF, LEGAL, Writer
from loom.kernel.limits import Limits
from loom.stores.surfaces import SURFACES
from loom.wire.codec import KEY_HEADER
from loom.wire.paths import PATHS

_SECTION = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def with_tables(text: str) -> str:
    """The document with its generated sections made anew."""
    return _SECTION.sub(lambda section: f"{section[1]}\n{TABLES[section[2]]()}\n\n{section[3]}", text)


def resources() -> str:
    """Every call: method, path, the noun of its call and of its answer."""
    rows = (
        (
            f"`{path.method}`",
            f"`{path.template.removeprefix('/v1')}`",
            f"{path.summary}{', held' if path.long_poll else ''}",
            f"`{path.call.__name__}`",
            f"{path.status} `{path.answer.__name__}`",
            KEY_HEADER if path.has_key else "",
        )
        for path in PATHS
    )
    return _table(("method", "path under `/v1`", "what", "call", "answer", "header"), rows)


def kinds() -> str:
    """Every kind of event: whether it answers a park, and which call writes it."""
    rows = ((f"`{kind}`", "yes" if kind.answering else "", _written_by(kind)) for kind in EventKind)
    return _table(("kind", "answers a park", "written by"), rows)


def legality() -> str:
    """Which kind, by which writer, in which status."""
    rows = (
        (f"`{kind}`" if kind else "any other kind", *(_statuses(cell.get(writer, frozenset())) for writer in Writer))
        for kind, cell in LEGAL.items()
    )
    return _table(("kind", *(writer.value for writer in Writer)), rows)


def errors() -> str:
    """Every code: its status, whether to come back, what it says."""
    ordered = sorted(ERRORS.values(), key=lambda cls: (cls.status, cls.code))
    rows = ((str(cls.status), f"`{cls.code}`", "yes" if cls.retryable else "", cls.title) for cls in ordered)
    return _table(("status", "code", "retryable", "meaning"), rows)


def surfaces() -> str:
    """What of an execution a credential guards."""
    return _table(("surface", "call"), ((each.name, f"`{each.call}`") for each in SURFACES))


def limits() -> str:
    """Every limit: its setting and default."""
    rows = ((f"`LOOM_LIMITS_{limit.name.upper()}`", f"{limit.default:,}") for limit in fields(Limits))
    return _table(("setting", "default"), rows)


TABLES: dict[str, Callable[[], str]] = {
    table.__name__: table for table in (resources, kinds, legality, errors, surfaces, limits)
}


def _written_by(kind: EventKind) -> str:
    if kind in CALL_OF:
        return f"`{CALL_OF[kind]}`"
    others = {Writer.STORE: "the store, within another call", Writer.OPERATOR: "an operator's call"}
    return "; ".join(["`append`", *(told for writer, told in others.items() if writer in LEGAL[kind])])


def _statuses(statuses: Iterable[str]) -> str:
    legal = frozenset(statuses)
    if legal == LIVE | ENDED:
        return "always"
    if legal == LIVE:
        return "not terminal"
    return "terminal" if legal == ENDED else ", ".join(sorted(legal))


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


if __name__ == "__main__":
    document = Path(sys.argv[1])
    document.write_text(with_tables(document.read_text("utf-8")), "utf-8")
