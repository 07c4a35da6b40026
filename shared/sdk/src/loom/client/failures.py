"""Failures as data: a type name, a bounded message, details, a bounded traceback. Nothing is unpickled."""

from __future__ import annotations

import json
import traceback
from typing import Any

from loom.client.payloads import encode_value
from loom.kernel.raw_json import RawJson

MESSAGE_CHARS_MAX = 2_000
TRACEBACK_CHARS_MAX = 8_000
DETAILS_CHARS_MAX = 4_000


def describe_exception(error: BaseException) -> dict[str, Any]:
    """`{"type", "message", "details", "traceback"}`; details are the exception's attribute of that name, if JSON.

    Whatever the exception does when it is asked, there is a description: without one its step could not end.
    """
    return {
        "type": type(error).__name__,
        "message": _head(_message_of(error), MESSAGE_CHARS_MAX),
        "details": _details_of(error),
        "traceback": _tail("".join(traceback.format_exception(error)), TRACEBACK_CHARS_MAX),
    }


def describe(type_name: str, message: str) -> dict[str, Any]:
    """A failure that no exception caused."""
    return {"type": type_name, "message": _head(message, MESSAGE_CHARS_MAX), "details": None, "traceback": ""}


def read_failure(form: Any) -> tuple[str, str, Any, str]:
    """Type name, message, details and traceback of what somebody wrote as a failure, in whatever shape."""
    match form:
        case None:
            return "failed", "", None, ""
        case {"type": str(type_name)}:
            return type_name, str(form.get("message", "")), form.get("details"), str(form.get("traceback", ""))
    return "failed", _head(json.dumps(form), MESSAGE_CHARS_MAX), form, ""


def _message_of(error: BaseException) -> str:
    try:
        return str(error)
    except Exception as trouble:
        return f"no message: {type(trouble).__name__}"


def _details_of(error: BaseException) -> RawJson | None:
    try:
        text = encode_value(getattr(error, "details", None))
    except Exception:
        return None
    return text if len(text) <= DETAILS_CHARS_MAX else None


def _head(text: str, chars_max: int) -> str:
    text = _readable(text)
    return text if len(text) <= chars_max else text[: chars_max - 1] + "…"


def _tail(text: str, chars_max: int) -> str:
    text = _readable(text)
    return text if len(text) <= chars_max else "…" + text[1 - chars_max :]


def _readable(text: str) -> str:
    """Without lone surrogates, which file names bring in and no UTF-8 has."""
    return text.encode("utf-8", "backslashreplace").decode()
