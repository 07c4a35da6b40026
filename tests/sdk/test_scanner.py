from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from loom.errors import Invalid, LoomError, TooLarge
from loom.kernel.limits import Limits
from loom.wire.members import CARRIED
from loom.wire.scanner import _end_of_deep, depth_of, scan

LIMITS = Limits()
SOME = settings(max_examples=300, deadline=None)

# --- a corpus: JSON, what is nearly JSON, and what is not -------------------------------------------------------------

MARKS = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"',
    '"a"',
    '"payload"',
    "\\",
    "\\u0000",
    "\\ud800",
    "\\x",
    "\n",
    "\x01",
    "\x00",
    " ",
]
WORDS = ["0", "-", "1", "01", "1.5", "1e9", "NaN", "-Infinity", "true", "null", "nul", "9" * 25, "é", "\ufeff", "//"]
PIECES = st.sampled_from(MARKS + WORDS)
NUMBERS = st.integers(-(2**63) + 1, 2**63 - 1)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
SPACED = st.sampled_from([(",", ":"), (" ,", " : "), (",\n", ":\t")])


@st.composite
def texts(draw: st.DrawFn) -> str:
    """JSON text, with up to three pieces put in or letters taken out."""
    text = json.dumps(draw(VALUES), ensure_ascii=draw(st.booleans()), separators=draw(SPACED))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(PIECES) + text[at + draw(st.integers(0, 2)) :]
    return text


# --- oracles: the standard library's reader, and what design 5 says of what Loom reads --------------------------------


def no_constant(name: str) -> Any:
    """NaN and its like are no JSON."""
    raise ValueError(name)


def is_json(text: str) -> bool:
    """Is this JSON, as the standard library reads it?"""
    try:
        json.loads(text, parse_int=str, parse_float=str, parse_constant=no_constant)
    except ValueError:
        return False
    return True


def no_fraction(text: str) -> Any:
    """Nothing that Loom reads is a fraction."""
    raise ValueError(text)


def whole(text: str) -> int:
    """A number of at most 63 bits."""
    number = int(text) if len(text) < 30 else 2**64
    if abs(number) >= 2**63:
        raise ValueError(text)
    return number


def without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object that names no member twice."""
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("twice")
    return dict(pairs)


def is_read(text: str) -> bool:
    """Would a body with only this in it be read? Judged on the value that the standard library makes of it."""
    try:
        value = json.loads(
            text,
            object_pairs_hook=without_doubles,
            parse_float=no_fraction,
            parse_int=whole,
            parse_constant=no_constant,
        )
    except ValueError:
        return False
    return is_clean(value)


def is_clean(value: Any) -> bool:
    """Is no text in it with a NUL or a lone surrogate?"""
    match value:
        case str():
            return "\0" not in value and not any("\ud800" <= letter <= "\udfff" for letter in value)
        case list():
            return all(map(is_clean, value))
        case dict():
            return all(is_clean(name) and is_clean(item) for name, item in value.items())
    return True


def is_taken(body: str) -> bool:
    """Does the scanner take this body?"""
    try:
        scan(body.encode("utf-8", "surrogatepass"), LIMITS)
    except Invalid:
        return False
    return True


# --- what is carried --------------------------------------------------------------------------------------------------


@SOME
@given(texts())
def test_any_json_is_carried_and_nothing_else(text: str) -> None:
    """I4: the door refuses only what is not JSON, and never alters what it accepts."""
    body = '{"payload":' + text + "}"
    assume(is_json(body) is is_json(text))  # else the text has made more members, which are read
    taken = is_taken(body)

    assert taken is is_json(text)
    if taken:
        carried = json.loads(scan(b'{"payload":' + text.encode() + b"}", LIMITS))["payload"]
        assert carried == text.strip(" \t\n\r")


@SOME
@given(texts())
def test_deep_json_is_carried_by_the_same_rules(text: str) -> None:
    """Design 5: the lane for what lies beyond recursion accepts what the other accepts, and ends where it ends."""
    text = text.lstrip(" \t\n\r")
    end = _end_of_deep(text, 0)

    if is_json(text):
        assert end == len(text.rstrip(" \t\n\r"))
    else:
        assert end is None or (is_json(text[:end]) and text[end:].strip(" \t\n\r"))


@pytest.mark.parametrize(
    "payload",
    [
        '"\\u0000"',
        '"\\ud800"',
        "9" * 400,
        "1e400",
        '{"b":1, "a":2,\n "b":3}',
        '{"payload":{"payload":1}}',
        "[" * 256 + "]" * 256,
    ],
    ids=["escaped NUL", "lone surrogate", "400 digits", "beyond floats", "doubled keys", "nested payload", "256 deep"],
)
def test_what_is_carried_comes_back_as_it_was_spelled(payload: str) -> None:
    """A4: bytes in are bytes out."""
    text = scan(b'{"payload": ' + payload.encode() + b' , "kind":"A"}', LIMITS)

    assert json.loads(text) == {"payload": payload, "kind": "A"}


def test_the_carried_members_are_those_that_the_calls_type_as_carried() -> None:
    """Design 5: what Loom only carries is known by the type of the member, in one place."""
    assert {"payload", "input", "failure", "outcome"} == CARRIED


# --- what is read -----------------------------------------------------------------------------------------------------


@SOME
@given(texts())
def test_what_is_read_is_strict(text: str) -> None:
    """Design 5: no NUL, no lone surrogate, no doubled key, no NaN, no fraction, no number of more than 63 bits."""
    body = '{"kind":' + text + "}"
    carries = any(name in text for name in ("payload", "input", "failure", "outcome"))

    assume(not carries)
    assert is_taken(body) is is_read(body)


@pytest.mark.parametrize(
    "body",
    [
        b'{"kind":"a\\u0000"}',
        b'{"kind":"\\ud800"}',
        b'{"kind\\u0000":1}',
        b'{"kind":1,"kind":1}',
        b'{"kind":1,"\\u006bind":1}',
        b'{"payload":1,"payload":1}',
        b'{"kind":NaN}',
        b'{"payload":NaN}',
        b'{"payload":"\x01"}',
        b'{"payload":"\x00"}',
        b'{"kind":1.0}',
        b'{"kind":1e2}',
        b'{"kind":9223372036854775808}',
        b'{"kind":"\xff"}',
        b'{"kind":"\xed\xa0\x80"}',
        b'\xef\xbb\xbf{"kind":1}',
        b'{"kind":1}{}',
        b"[]",
        b'"kind"',
        b'{"kind":',
        b'{"kind":1,}',
        b'{"payload":}',
        b"",
    ],
)
def test_what_is_no_envelope_is_invalid(body: bytes) -> None:
    """Design 5: typed problem, never a fault of our own."""
    with pytest.raises(Invalid) as caught:
        scan(body, LIMITS)

    assert caught.value.code == "invalid"


def test_a_member_that_stands_in_the_path_is_refused_in_the_body() -> None:
    """One place for each member: a body cannot speak of another execution than its path."""
    with pytest.raises(Invalid, match="stands in the path"):
        scan(b'{"namespace":"other"}', LIMITS, frozenset({"namespace"}))

    assert scan(b'{"inner":{"namespace":"other"}}', LIMITS, frozenset({"namespace"}))


# --- depth ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("deep", ["[" * 10_000, '{"a":' * 10_000, '{"payload":' + "[" * 10_000, '["' * 10_000])
def test_what_nests_too_deeply_costs_one_look(deep: str) -> None:
    """Design 5: depth is judged before parsing, so that 10,000 levels cost nothing."""
    began = time.process_time()
    with pytest.raises(LoomError):
        scan(b'{"kind":' + deep.encode(), LIMITS)

    assert time.process_time() - began < 0.5


@pytest.mark.parametrize(
    ("body", "limit"),
    [('{"kind":' + "[" * 63 + "]" * 63 + "}", 64), ('{"payload":' + "[" * 256 + "]" * 256 + "}", 256)],
    ids=["read", "carried"],
)
def test_the_limit_itself_is_taken_and_one_more_is_too_large(body: str, limit: int) -> None:
    """Design 9: depth 64 in what Loom reads, 256 in what it carries."""
    scan(body.encode(), LIMITS)

    with pytest.raises(TooLarge, match=f"deeper than {limit}"):
        scan(body.replace("[", "[[", 1).replace("]", "]]", 1).encode(), LIMITS)


def test_a_raised_limit_is_a_limit_too() -> None:
    """Bad input: a row tests the limit and not the parser, however deep the limit lies."""
    deep = '{"payload":' + "[" * 10_000 + "]" * 10_000 + "}"

    assert len(scan(deep.encode(), Limits(depth_carried=10_000))) == len(deep) + 2
    with pytest.raises(TooLarge):
        scan(deep.encode(), Limits(depth_carried=9_999))


def test_what_this_process_cannot_read_is_too_large_whatever_the_limit() -> None:
    """Design 5: never a fault of our own, also where an operator raised the limit beyond sense."""
    with pytest.raises(TooLarge):
        scan(b'{"kind":' + b"[" * 10_000, Limits(depth_read=20_000))


def test_brackets_in_strings_nest_nothing() -> None:
    """Depth is that of the value, not of the text."""
    assert depth_of('{"a":"[[[[\\"[[","b":[{}]}') == 3


def test_strings_without_an_end_are_looked_at_once() -> None:
    """Design 9: the look is linear in the body, whatever the body is."""
    body = b'{"kind":"' + b'\\"[' * 500_000

    began = time.process_time()
    with pytest.raises(LoomError):
        scan(body, LIMITS)

    assert time.process_time() - began < 1.0
