"""What every call must look like before anybody looks at a row: ids, names, durations, numbers, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from loom.errors import Invalid
from loom.ids import Credential
from loom.kernel import calls as c
from loom.kernel.events import NewEvent
from loom.kernel.kinds import EventKind
from loom.kernel.limits import Limits
from loom.kernel.parks import Operator
from loom.kernel.raw_json import RawJson

_ID = re.compile(r"[A-Za-z0-9._-]{1,200}")
_STORED_ID = re.compile(r"[A-Za-z0-9._~-]{1,255}")
_KEY = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?")
_LONE = re.compile("[\ud800-\udfff]")
_CURSOR = re.compile(r"[0-9]{1,18}")
_NAME_MAX = 255
_NONCE_MIN = 22  # characters that hold 128 random bits in base64
_TEXT_MAX = 4096

_BELONGS = {
    "message_id": (EventKind.MESSAGE_CONSUMED,),
    "child_key": (EventKind.CHILD_OUTCOME,),
    "wait": (EventKind.MESSAGE_CONSUMED, EventKind.CHILD_OUTCOME),
}


def check_wellformed(call: Any, limits: Limits) -> None:
    """Raises Invalid, naming the member and what it should be."""
    for path, owner, name, value in _members(call, ""):
        reason = _why_malformed(owner, name, value, limits)
        if reason:
            raise Invalid(f"{path}: {reason}", member=path)


def _members(noun: Any, prefix: str) -> Iterator[tuple[str, Any, str, Any]]:
    for field in fields(noun):
        value = getattr(noun, field.name)
        path = f"{prefix}{field.name}"
        yield path, noun, field.name, value
        if is_dataclass(value):
            yield from _members(value, f"{path}.")
        elif isinstance(value, tuple):
            for number, item in enumerate(value):
                if is_dataclass(item):
                    yield from _members(item, f"{path}[{number}].")
                else:
                    yield f"{path}[{number}]", noun, field.name, item


def _why_malformed(owner: Any, name: str, value: Any, limits: Limits) -> str | None:
    if isinstance(value, RawJson):
        return "JSON text with surrogates escaped" if _LONE.search(value) else None
    if value is None or isinstance(value, tuple) or is_dataclass(value):
        return None
    if isinstance(owner, NewEvent) and name in _BELONGS and owner.kind not in _BELONGS[name]:
        return f"only for {' or '.join(_BELONGS[name])}"
    if name in ("execution_id", "child_id"):
        return _why_no_id(value, derived=not _is_starting(owner))
    if name in ("namespace", "instance"):
        return _why_no_id(value, derived=False)
    if name == "ttl_ms":
        return _why_no_lease(owner, value, limits)
    if name.endswith("_ms"):
        return _why_no_duration(value, limits)
    if name == "nonce" and len(value) < _NONCE_MIN:
        return f"at least {_NONCE_MIN} characters: 128 random bits"
    if name == "batch_id":
        return None if _KEY.fullmatch(value) else "1 to 255 visible ASCII characters: it travels as a header"
    if name == "workflow" and "@" in value:
        return "a name without @, which stands between name and version"
    if name == "cursor":
        return None if _CURSOR.fullmatch(value) else "a cursor as a page before gave it"
    if isinstance(value, str):
        return _why_no_text(value, _TEXT_MAX if _is_prose(owner, name) else _NAME_MAX)
    if isinstance(value, int) and not isinstance(value, bool):
        return _why_no_number(owner, name, value)
    return None


def _is_starting(owner: Any) -> bool:
    """Would this call give the id to a new execution?"""
    return isinstance(owner, c.Start) or (isinstance(owner, c.Send) and owner.start is not None)


def _why_no_id(value: str, *, derived: bool) -> str | None:
    if value in (".", "..") or not (_STORED_ID if derived else _ID).fullmatch(value):
        return "1 to 200 of the characters A-Z a-z 0-9 . _ - and not . or .. (~ is reserved for derived ids)"
    return None


def _why_no_lease(owner: Any, value: int, limits: Limits) -> str | None:
    if isinstance(owner, c.SetPin):
        return _why_no_duration(value, limits)
    if not limits.lease_min_ms <= value <= limits.lease_max_ms:
        return f"a lease of {limits.lease_min_ms} to {limits.lease_max_ms} milliseconds"
    return None


def _why_no_duration(value: int, limits: Limits) -> str | None:
    if not 0 <= value <= limits.duration_max_ms:
        return f"whole milliseconds from 0 to {limits.duration_max_ms} (100 years)"
    return None


def _is_prose(owner: Any, name: str) -> bool:
    return isinstance(owner, Operator) or name == "reason"


def _why_no_text(value: str, longest: int) -> str | None:
    if not value or len(value) > longest:
        return f"1 to {longest} characters"
    if "\x00" in value or _LONE.search(value):
        return "text without NUL and lone surrogates"
    return None


def _why_no_number(owner: Any, name: str, value: int) -> str | None:
    if isinstance(owner, NewEvent) and name == "position":  # its order is judged behind the fence
        return None if -(2**63) <= value < 2**63 else "a number of 64 bits"
    if name in ("max", "limit") and not 1 <= value <= 1000:
        return "1 to 1000"
    if isinstance(owner, Credential):
        return None
    return None if 0 <= value < 2**63 else "a number from 0 to 2^63-1"
