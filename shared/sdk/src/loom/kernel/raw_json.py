"""JSON text that Loom only carries, and the one encoder that splices it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from loom.ids import DecimalString


class RawJson(str):
    """The source text of a JSON value: kept as received, byte for byte, never parsed by a store (I4)."""

    @classmethod
    def of(cls, value: Any) -> RawJson:
        """The text of a plain Python value; lone surrogates are escaped, since UTF-8 has none."""
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return cls(_LONE.sub(lambda lone: f"\\u{ord(lone[0]):04x}", text))

    def parsed(self) -> Any:
        """The value, for who wrote it. A number of more digits than int() reads comes as text."""
        try:
            return json.loads(self)
        except ValueError:
            return json.loads(self, parse_int=_int_or_text)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        return core_schema.no_info_after_validator_function(cls, core_schema.str_schema())

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> dict[str, Any]:
        return {"description": "any JSON value, carried as received"}


def _int_or_text(digits: str) -> int | str:
    try:
        return int(digits)
    except ValueError:
        return digits


NULL = RawJson("null")

_LONE = re.compile("[\ud800-\udfff]")
_quote = json.encoder.encode_basestring


def encode(value: Any) -> RawJson:
    """The JSON text of nouns and plain values: carried text is spliced, 63-bit numbers become strings.

    A field marked `hidden` (a surrogate, a hash) is left out, and so is absent carried text, whose null is a value;
    a class may name properties to add in `SHOWN`.
    """
    return RawJson(_encode(value))


def _encode(value: Any) -> str:
    match value:
        case RawJson():
            return value
        case str():
            return _quote(str(value))
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case DecimalString():
            return f'"{int(value)}"'
        case int() | float():
            return json.dumps(value, allow_nan=False)
        case dict():
            return "{" + ",".join(f"{_quote(str(key))}:{_encode(item)}" for key, item in value.items()) + "}"
        case list() | tuple():
            return "[" + ",".join(map(_encode, value)) + "]"
    if is_dataclass(value):
        return "{" + ",".join(_encode_members(value)) + "}"
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _encode_members(noun: Any) -> Iterator[str]:
    for name, key, carried in _members(noun.__class__):
        value = getattr(noun, name)
        if value is not None or not carried:
            yield f"{key}:{_encode(value)}"


@cache
def _members(cls: type[Any]) -> tuple[tuple[str, str, bool], ...]:
    shown = [field for field in fields(cls) if not field.metadata.get("hidden")]
    carried = {field.name for field in shown if str(field.type).startswith("RawJson")}
    names = [field.name for field in shown]
    return tuple((name, _quote(name), name in carried) for name in (*names, *getattr(cls, "SHOWN", ())))
