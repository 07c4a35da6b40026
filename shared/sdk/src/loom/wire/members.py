"""What the calls and answers of the path table are made of: their members' names and types."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, get_args, get_type_hints

from loom.kernel.raw_json import RawJson
from loom.wire.paths import PATHS


def _members_of(noun: Any) -> dict[str, Any]:
    hints = get_type_hints(noun)
    return {field.name: hints[field.name] for field in fields(noun)}


members_of: Callable[[Any], dict[str, Any]] = cache(_members_of)
"""Member names of a noun with their types, as annotated."""


def parts_of(hint: Any) -> Iterator[Any]:
    """A type and what it is built from: the sides of unions, the items of tuples, the values of mappings."""
    yield hint
    for part in get_args(hint):
        yield from parts_of(part)


def nouns_within(hints: Iterable[Any]) -> Iterator[type[Any]]:
    """Every dataclass that occurs in `hints`, each once."""
    seen: set[Any] = set()
    waiting = list(hints)
    while waiting:
        for part in parts_of(waiting.pop()):
            if is_dataclass(part) and isinstance(part, type) and part not in seen:
                seen.add(part)
                waiting.extend(members_of(part).values())
                yield part


NOUNS = frozenset(nouns_within(noun for path in PATHS for noun in (path.call, path.answer)))
NAMES = frozenset(name for noun in NOUNS for name in members_of(noun))
CARRIED = frozenset(name for noun in NOUNS for name, hint in members_of(noun).items() if RawJson in parts_of(hint))
"""Members whose value Loom only carries."""
