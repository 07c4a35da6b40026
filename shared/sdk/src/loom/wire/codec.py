"""Calls and answers as HTTP carries them: which member stands in the path, the query, the header, the body."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, TypeVar
from urllib.parse import parse_qsl, quote, unquote, urlencode

from pydantic import TypeAdapter, ValidationError

from loom.errors import Invalid
from loom.ids import DecimalString
from loom.kernel.limits import Limits
from loom.kernel.raw_json import RawJson, encode
from loom.wire.members import NAMES, members_of, parts_of
from loom.wire.paths import Path
from loom.wire.scanner import scan

KEY_HEADER = "Idempotency-Key"

_NO_ITEM = ""  # what an empty tuple is in a query

_Answer = TypeVar("_Answer")

# --- the client's half ------------------------------------------------------------------------------------------------


def url_of(path: Path, call: Any) -> str:
    """The path that addresses `call`, with its query."""
    address = path.template.format(**{name: quote(getattr(call, name), safe="") for name in path.in_path})
    query = [(name, text) for name, value in _rest(path, call) if stands_in_query(path, name) for text in _texts(value)]
    return f"{address}?{urlencode(query)}" if query else address


def body_of(path: Path, call: Any) -> bytes | None:
    """The JSON body of `call`; None if it has none."""
    rest = {name: value for name, value in _rest(path, call) if not stands_in_query(path, name)}
    return encode(rest).encode() if rest or path.has_body else None


def headers_of(call: Any) -> dict[str, str]:
    """The Idempotency-Key of `call`, if it has one. Raises UnicodeEncodeError for one that is no ASCII."""
    key: str | None = getattr(call, "batch_id", None)
    if key is not None:
        key.encode("ascii")
    return {} if key is None else {KEY_HEADER: key}


def decode_answer(kind: type[_Answer], body: bytes) -> _Answer:
    """The answer in `body`; members that this version does not know are ignored. Raises Invalid if it is none."""
    try:
        answer: _Answer = _adapter(kind).validate_json(scan(body, _ANSWERS), strict=True, extra="ignore")
        return answer
    except ValidationError as error:
        raise _invalid(error) from None


_ANSWERS = Limits(depth_carried=1 << 20)  # what a store has taken is not judged again


def _rest(path: Path, call: Any) -> Iterator[tuple[str, Any]]:
    for name in members_of(path.call):
        value = getattr(call, name)
        if name not in path.in_path and name != "batch_id" and value is not None:
            yield name, value


def _texts(value: Any) -> list[str]:
    if isinstance(value, tuple):
        return [text for item in value for text in _texts(item)] or [_NO_ITEM]
    if isinstance(value, bool):
        return ["true" if value else "false"]
    return [str(int(value)) if isinstance(value, int) else str(value)]


# --- the server's half ------------------------------------------------------------------------------------------------


def read_call(path: Path, *, raw_path: bytes, query: bytes, key: str | None, body: bytes, limits: Limits) -> Any:
    """The call that a request makes. Raises Invalid or TooLarge, naming the member and never repeating its value."""
    given = {**_from_path(path, raw_path), **_from_query(path, query)}
    if path.has_key and key is not None:
        given["batch_id"] = encode(key)
    taken = path.in_path | {"batch_id"} | given.keys()
    text = scan(body, limits, frozenset(taken)) if takes_body(path) and body else "{}"
    try:
        return _adapter(path.call).validate_json(_merged(given, text), strict=True)
    except ValidationError as error:
        raise _invalid(error) from None


def _merged(given: dict[str, RawJson], text: str) -> str:
    inner = text.strip()[1:-1].strip()
    return "{" + ",".join([*(f"{encode(name)}:{value}" for name, value in given.items()), *filter(None, [inner])]) + "}"


def _from_path(path: Path, raw_path: bytes) -> dict[str, RawJson]:
    found = _pattern(path.template).fullmatch(raw_path.split(b"?")[0])
    if found is None:
        raise Invalid("the path is malformed: a '/' inside a name is written %2F")
    return {name: encode(_unquoted(name, value)) for name, value in found.groupdict().items()}


def _unquoted(name: str, value: bytes) -> str:
    try:
        return unquote(value.decode("ascii"), errors="strict")
    except UnicodeDecodeError:
        raise Invalid(f"{name} is not UTF-8") from None


def _from_query(path: Path, query: bytes) -> dict[str, RawJson]:
    if not query:
        return {}
    try:
        pairs = parse_qsl(query.decode("ascii"), keep_blank_values=True, strict_parsing=True, errors="strict")
    except ValueError:
        raise Invalid("the query is malformed: write name=value&name=value, in UTF-8") from None
    values: dict[str, list[str]] = {}
    for name, text in pairs:
        if not stands_in_query(path, name):
            raise Invalid(f"{name[:60]!a} is not known in the query of this call")
        values.setdefault(name, []).append(text)
    return {name: _query_value(name, members_of(path.call)[name], texts) for name, texts in values.items()}


def _query_value(name: str, hint: Any, texts: list[str]) -> RawJson:
    parts = list(parts_of(hint))
    if tuple in (getattr(part, "__origin__", None) for part in parts):
        return encode([] if texts == [_NO_ITEM] else texts)
    if len(texts) > 1:
        raise Invalid(f"{name} is named {len(texts)} times in the query")
    text = texts[0]
    if bool in parts and text in ("true", "false"):
        return RawJson(text)
    if _is_number(parts) and re.fullmatch(r"-?(0|[1-9][0-9]{0,18})", text):
        return RawJson(text)
    return encode(text)


def _is_number(parts: list[Any]) -> bool:
    """Is the member an int in JSON, rather than a decimal string?"""
    plain = [getattr(part, "__supertype__", part) for part in parts]
    return int in plain and not any(isinstance(part, type) and issubclass(part, DecimalString) for part in plain)


# --- both -------------------------------------------------------------------------------------------------------------


def stands_in_query(path: Path, name: str) -> bool:
    """Does this member stand in the query? Those of a GET and a DELETE do, but for a credential: that is the body's."""
    named = name in members_of(path.call) and name not in path.in_path and name not in ("batch_id", "credential")
    return named and not path.has_body


def takes_body(path: Path) -> bool:
    """Does this call have a JSON body, or may it?"""
    return path.has_body or "credential" in members_of(path.call)


_adapter: Callable[[Any], TypeAdapter[Any]] = cache(TypeAdapter)


@cache
def _pattern(template: str) -> re.Pattern[bytes]:
    parts = re.split(r"\{(\w+)\}", template)
    return re.compile(
        "".join(f"(?P<{part}>[^/]+)" if index % 2 else re.escape(part) for index, part in enumerate(parts)).encode()
    )


_TOLD = {
    "missing": "is missing",
    "unexpected_keyword_argument": "is not known here",
    "extra_forbidden": "is not known here",
    "string_pattern_mismatch": "should be a number of 63 bits, written as a decimal string",
    "value_error": "should be a number of 63 bits, written as a decimal string",
}
_RANK = {"unexpected_keyword_argument": 1, "extra_forbidden": 1, "missing": 2}


def _invalid(error: ValidationError) -> Invalid:
    """One fault in words: a wrong type before an unknown member before a missing one, in the likeliest branch."""
    faults = _likely([dict(fault) for fault in error.errors(include_url=False, include_input=False)])
    first = min(faults, key=lambda fault: _RANK.get(fault["type"], 0))
    told = dict.fromkeys(_told(fault) for fault in faults if _named(fault) == _named(first))
    return Invalid(f"{_named(first)} {', or '.join(told)}")


def _likely(faults: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without the faults of those alternatives of a wait that fit worse than another."""
    counts = Counter(branch for fault in faults if (branch := _branch(fault)))
    best: dict[tuple[Any, ...], int] = {}
    for branch, count in counts.items():
        best[branch[:-1]] = min(count, best.get(branch[:-1], count))
    return [fault for fault in faults if not (branch := _branch(fault)) or counts[branch] == best[branch[:-1]]]


def _branch(fault: dict[str, Any]) -> tuple[Any, ...]:
    loc: tuple[Any, ...] = fault["loc"]
    for depth, part in enumerate(loc):
        if isinstance(part, str) and part.endswith("Wait"):
            return loc[: depth + 1]
    return ()


def _named(fault: dict[str, Any]) -> str:
    """The member's path as the caller wrote it: without the names of types that a union adds."""
    loc: tuple[Any, ...] = fault["loc"]
    unknown = _RANK.get(fault["type"]) == 1
    kept = [
        str(part)
        for depth, part in enumerate(loc)
        if isinstance(part, int) or part in NAMES or (unknown and depth == len(loc) - 1)
    ]
    if kept == ["batch_id"]:
        return f"the header {KEY_HEADER}"
    return ".".join(ascii(part[:60])[1:-1] for part in kept) or "the body"


def _told(fault: dict[str, Any]) -> str:
    return _TOLD.get(fault["type"]) or str(fault["msg"]).removeprefix("Input ")
