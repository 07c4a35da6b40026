"""How large what a caller gives may be. What the store itself copies is not judged again (I17)."""

from __future__ import annotations

from collections.abc import Iterable

from loom.errors import TooLarge
from loom.kernel.limits import Limits
from loom.kernel.raw_json import RawJson


def size_of(payload: RawJson) -> int:
    """Bytes of the text, with escaped or lone surrogates as they are."""
    return len(payload.encode("utf-8", "surrogatepass"))


def check_carried(payload: RawJson, what: str, limits: Limits) -> None:
    """An event's payload, an input, a message. Raises TooLarge."""
    _check(size_of(payload), what, limits.event_bytes, "store it elsewhere and pass where it is")


def check_result(payload: RawJson, limits: Limits) -> None:
    """What an execution ends with; its parent's log will hold it too. Raises TooLarge."""
    _check(size_of(payload), "a result", limits.result_bytes, "store it and return where it is")


def check_together(payloads: Iterable[RawJson], limits: Limits) -> None:
    """All of one append. Raises TooLarge."""
    _check(sum(map(size_of, payloads)), "an append", limits.append_bytes, "split it")


def _check(size: int, what: str, greatest: int, remedy: str) -> None:
    if size > greatest:
        raise TooLarge(f"{what} of {size} bytes, at most {greatest}: {remedy}")
