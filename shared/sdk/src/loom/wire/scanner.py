"""The envelope scanner: strict in what Loom reads, blind to what it only carries (I4).

What is read refuses NUL, lone surrogates, duplicate keys, NaN, fractions and numbers of more than 63 bits. What is
carried is any JSON; it becomes a string literal that holds its source, so that a typed parser can take the rest.
"""

from __future__ import annotations

import json
import re
from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined]
from typing import Any, NoReturn

from loom.errors import Invalid, TooLarge
from loom.kernel.limits import Limits
from loom.wire.members import CARRIED

_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORD = re.compile(r"true|false|null")
_MARK = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)
_LONE = re.compile("[\ud800-\udfff]")
_GREATEST = 2**63 - 1
_quote = json.encoder.encode_basestring


def scan(body: bytes, limits: Limits, taken: frozenset[str] = frozenset()) -> str:
    """The JSON object in `body`, each carried value replaced by a string literal of its source.

    Raises TooLarge for what is too deep, before anything is parsed, and Invalid for everything else, naming the member.
    Members of the outermost object named in `taken` are refused: they stand elsewhere in the request.
    """
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Invalid(f"the body is not UTF-8: byte {error.start}") from None
    _refuse_depth(text, limits.depth_read + limits.depth_carried, "the body")
    try:
        return _Scan(text, limits, taken).run()
    except RecursionError:
        raise TooLarge("the body nests deeper than this process can read: flatten it") from None


def depth_of(text: str) -> int:
    """How deep brackets nest in JSON text, by one linear look that parses nothing."""
    if text.count("[") + text.count("{") <= 1:
        return text.count("[") + text.count("{")
    depth = deepest = 0
    for mark in _MARK.finditer(text):
        match text[mark.start()]:
            case "[" | "{":
                depth += 1
                deepest = max(deepest, depth)
            case "]" | "}":
                depth -= 1
    return deepest


def _refuse_depth(text: str, limit: int, what: str) -> None:
    if text.count("[") + text.count("{") > limit and depth_of(text) > limit:
        raise TooLarge(f"{what} nests deeper than {limit}: flatten it")


class _Scan:
    """One pass over one body. `path` names the member being read; `parts` is what the typed parser gets."""

    def __init__(self, text: str, limits: Limits, taken: frozenset[str]) -> None:
        self.text = text
        self.limits = limits
        self.taken = taken
        self.path: list[str] = []
        self.parts: list[str] = []
        self.copied = 0

    def run(self) -> str:
        start = self.skip_space(0)
        if not self.text.startswith("{", start):
            raise Invalid("the body should be a JSON object")
        end = self.skip_space(self.read_object(start, 1))
        if end != len(self.text):
            self.refuse(end, "something follows the JSON object")
        return "".join([*self.parts, self.text[self.copied :]])

    def read_value(self, at: int, depth: int) -> int:
        """Check the value at `at`, as Loom reads it; where it ends."""
        match self.text[at : at + 1]:
            case "{":
                return self.read_object(at, depth + 1)
            case "[":
                return self.read_array(at, depth + 1)
            case '"':
                return self.read_string(at)[1]
        return self.read_scalar(at)

    def read_object(self, at: int, depth: int) -> int:
        self.check_depth(depth)
        seen: set[str] = set()
        at = self.skip_space(at + 1)
        if self.text.startswith("}", at):
            return at + 1
        while True:
            if not self.text.startswith('"', at):
                self.refuse(at, "a member's name is missing")
            name, at = self.read_string(at)
            self.check_name(name, seen, depth)
            at = self.skip_space(self.expect(":", self.skip_space(at)))
            self.path.append(name)
            at = self.carry_value(at) if name in CARRIED else self.read_value(at, depth)
            self.path.pop()
            at = self.skip_space(at)
            if self.text.startswith("}", at):
                return at + 1
            at = self.skip_space(self.expect(",", at))

    def read_array(self, at: int, depth: int) -> int:
        self.check_depth(depth)
        at = self.skip_space(at + 1)
        if self.text.startswith("]", at):
            return at + 1
        index = 0
        while True:
            self.path.append(str(index))
            at = self.skip_space(self.read_value(at, depth))
            self.path.pop()
            if self.text.startswith("]", at):
                return at + 1
            at = self.skip_space(self.expect(",", at))
            index += 1

    def read_string(self, at: int) -> tuple[str, int]:
        try:
            value, end = scanstring(self.text, at + 1, True)
        except JSONDecodeError as error:
            self.refuse(error.pos, "a string is broken")
        if "\0" in value or _LONE.search(value):
            raise Invalid(f"{self.here} holds a NUL or a lone surrogate")
        return value, end

    def read_scalar(self, at: int) -> int:
        if word := _WORD.match(self.text, at):
            return word.end()
        number = _NUMBER.match(self.text, at)
        if number is None:
            self.refuse(at, "a value is missing or is not JSON")
        if number[1] or number[2]:
            raise Invalid(f"{self.here} is a fraction: only whole numbers are read here")
        if len(number[0]) > 20 or abs(int(number[0])) > _GREATEST:
            raise Invalid(f"{self.here} is a number of more than 63 bits")
        return number.end()

    def carry_value(self, at: int) -> int:
        """Replace the value at `at` by a literal of its source; where it ends."""
        end = self.end_of_carried(at)
        source = self.text[at:end]
        _refuse_depth(source, self.limits.depth_carried, self.here)
        self.parts += self.text[self.copied : at], _quote(source)
        self.copied = end
        return end

    def end_of_carried(self, at: int) -> int:
        try:
            return int(_carried(self.text, at)[1])
        except RecursionError:
            end = _end_of_deep(self.text, at)
        except (StopIteration, ValueError):
            end = None
        if end is None:
            raise Invalid(f"{self.here} is not JSON")
        return end

    def check_depth(self, depth: int) -> None:
        if depth > self.limits.depth_read:
            raise TooLarge(f"{self.here} nests deeper than {self.limits.depth_read}: flatten it")

    def check_name(self, name: str, seen: set[str], depth: int) -> None:
        if name in seen:
            raise Invalid(f"{self.here} names {name[:60]!r} twice")
        if depth == 1 and name in self.taken:
            raise Invalid(f"{name} stands in the path, the query or the header Idempotency-Key, not in the body")
        seen.add(name)

    def skip_space(self, at: int) -> int:
        space = _SPACE.match(self.text, at)
        assert space is not None
        return space.end()

    def expect(self, mark: str, at: int) -> int:
        if not self.text.startswith(mark, at):
            self.refuse(at, f"{mark!r} is missing")
        return at + 1

    def refuse(self, at: int, what: str) -> NoReturn:
        raise Invalid(f"the body is not JSON: {what}, at character {at}")

    @property
    def here(self) -> str:
        return ".".join(name[:60] for name in self.path).encode("ascii", "backslashreplace").decode() or "the body"


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_decoder: Any = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=_no_constant)
_carried = _decoder.scan_once


_STEP = re.compile(
    r"[ \t\n\r]*(?:(?P<open>[\[{])|(?P<close>[\]}])|(?P<mark>[,:])"
    r'|(?P<string>"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+")'
    r"|(?P<scalar>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null))"
)


def _end_of_deep(text: str, at: int) -> int | None:
    """Where the JSON value at `at` ends, however deep it nests; None if it is none.

    Only for stores whose limit lies above what the standard library's scanner can recurse. `due` says what may come
    next: a value (v), a first value or the end (V), a name (n), a first name or the end (N), a colon (:), a comma or
    the end (,).
    """
    nest: list[str] = []
    due = "v"
    while True:
        step = _STEP.match(text, at)
        if step is None:
            return None
        at, token = step.end(), step[0].lstrip(" \t\n\r")
        if step["open"] and due in "vV":
            nest.append("}" if token == "{" else "]")
            due = "N" if token == "{" else "V"
            continue
        if step["close"] and nest and nest[-1] == token and due in ("," + ("N" if token == "}" else "V")):
            nest.pop()
        elif step["string"] and due in "nN":
            due = ":"
            continue
        elif step["mark"] and token == due:
            due = "v" if token == ":" or nest[-1] == "]" else "n"
            continue
        elif not ((step["string"] or step["scalar"]) and due in "vV"):
            return None
        if not nest:
            return at
        due = ","
