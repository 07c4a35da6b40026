"""The files of this repository, as the tests of it see them: tracked, or about to be."""

import subprocess
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

DISTRIBUTIONS = {
    "loom-durable": "shared/sdk",
    "loom-conformance": "shared/conformance",
    "loom-servicekit": "shared/servicekit",
    "loom-cli": "shared/cli",
    "loom-event-store": "services/event-store",
    "loom-supervisor": "services/supervisor",
    "loom-timers": "services/timers",
    "loom-retention": "services/retention",
}


@cache
def list_files() -> tuple[str, ...]:
    """Paths relative to the root, with `/`; what .gitignore names is left out, what was removed too."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    output = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return tuple(sorted(path for path in output.split("\0") if path and (ROOT / path).is_file()))


@cache
def _read_text(path: str) -> str | None:
    raw = (ROOT / path).read_bytes()
    return None if b"\0" in raw else raw.decode("utf-8", "replace")


def read_texts(*suffixes: str) -> Iterator[tuple[str, str]]:
    """Path and text of every text file, or of those that end so."""
    for path in list_files():
        if not suffixes or path.endswith(suffixes):
            text = _read_text(path)
            if text is not None:
                yield path, text


def read_project(distribution: str) -> dict[str, Any]:
    """The pyproject.toml of one of our distributions."""
    return tomllib.loads((ROOT / DISTRIBUTIONS[distribution] / "pyproject.toml").read_text(encoding="utf-8"))
