"""Which tests and cases cite which invariant; `make invariants` writes it into docs/invariants.md."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "invariants.md"
KIT = "shared/conformance/src/loom_conformance/"

_ROW = re.compile(r"^\| (I\d+) \| (.*) \| (.*) \|$")
_CITED = re.compile(r"\bI(\d+)\b(?:\.\.I(\d+)\b)?")

Citations = Mapping[str, set[str]]


def read_citations() -> Citations:
    """By invariant, the places that cite it: `kit name` for a suite of the kit, a path for a test."""
    cited: dict[str, set[str]] = defaultdict(set)
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        if path.parent == Path(__file__).parent:
            continue  # tests of the repository defend nothing of Loom
        for number in list_cited(path.read_text("utf-8")):
            cited[number].add(f"`{path.relative_to(ROOT)}`")
    for path in sorted((ROOT / KIT).glob("*.py")):
        for number in list_cited(path.read_text("utf-8")):
            cited[number].add(f"kit `{path.stem}`")
    return cited


def list_cited(text: str) -> set[str]:
    """`I9`, and every number of a range written `I32..I35`."""
    numbers: set[str] = set()
    for first, last in _CITED.findall(text):
        numbers |= {f"I{number}" for number in range(int(first), int(last or first) + 1)}
    return numbers


def with_citations(document: str, cited: Citations) -> str:
    """The document with its last column made anew; rows marked `later` stay as they are."""
    return "\n".join(_row(line, cited) for line in document.split("\n"))


def _row(line: str, cited: Citations) -> str:
    match = _ROW.match(line)
    if match is None or match[3] == "later":
        return line
    return f"| {match[1]} | {match[2]} | {_places(cited.get(match[1], set()))} |"


def _places(places: Iterable[str]) -> str:
    return ", ".join(sorted(places, key=lambda place: (not place.startswith("kit"), place))) or "nothing"


def list_undefended(document: str) -> list[str]:
    """The invariants that the document promises and nothing defends."""
    rows = (_ROW.match(line) for line in document.split("\n"))
    return [row[1] for row in rows if row is not None and row[3] == "nothing"]


if __name__ == "__main__":
    DOCUMENT.write_text(with_citations(DOCUMENT.read_text("utf-8"), read_citations()), "utf-8")
