"""An event in one line, by its kind. A payload of another shape, or of an application's, is shown as it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from loom.kernel.events import Event
from loom.kernel.kinds import EventKind as K
from loom.kernel.parks import waits_from
from loom.kernel.raw_json import RawJson
from loom_cli.durations import show_instant
from loom_cli.waits import tell_wait


def tell_event(event: Event) -> str:
    """What happened, for a person. Never fails: what cannot be read is shown raw."""
    tell = _TELLERS.get(event.kind)
    if tell is None:
        return _raw(event)
    try:
        return tell(event.payload.parsed())
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        return _raw(event)


def _raw(event: Event) -> str:
    return "" if event.payload == "null" else str(event.payload)


def _tell_started(form: Mapping[str, Any]) -> str:
    parent = form.get("parent")
    told = f"{form['workflow']}@{form['code_version']} on {form['queue'] or 'no queue'}, input {_value(form['input'])}"
    return told + (f", child {parent['key']} of {parent['execution_id']}" if parent else "")


def _tell_suspended(form: Mapping[str, Any]) -> str:
    return "waits for " + "; ".join(map(tell_wait, waits_from(form["waits"])))


def _tell_resumed(form: Mapping[str, Any]) -> str:
    keys = form.get("keys") or ()
    answered = f"wait {form['wait']}" if form.get("wait") else "no wait"
    return f"{answered} answered by {form['by']}" + (f": {', '.join(keys)}" if keys else "")


def _tell_message(form: Mapping[str, Any]) -> str:
    key = f" with key {form['key']}" if form.get("key") is not None else ""
    return f"{form['name']}{key}: {_value(form['payload'])}"


def _tell_child(form: Mapping[str, Any]) -> str:
    return f"{form['key']} is {form['child']['execution_id']}, {form['workflow']}"


def _tell_outcome(form: Mapping[str, Any]) -> str:
    return f"{form['key']} {form['status']}: {_value(form['outcome'])}"


def _tell_cancelled(form: Mapping[str, Any]) -> str:
    detail = form.get("detail")
    return _by(form) + (f", {_value(detail)}" if detail is not None else "")


def _tell_failed(form: Mapping[str, Any]) -> str:
    return f"{form['type']}: {form['message']}"


def _tell_step_started(form: Mapping[str, Any]) -> str:
    until = f", until {show_instant(form['wake_at'])}" if "wake_at" in form else ""
    return f"{form['type']} {form['command']}{until}"


def _tell_step_completed(form: Mapping[str, Any]) -> str:
    return str(form["command"]) + (f": {_value(form['result'])}" if "result" in form else "")


def _tell_step_failed(form: Mapping[str, Any]) -> str:
    return f"{form['command']}: {_tell_failed(form['failure'])}"


def _tell_step_retried(form: Mapping[str, Any]) -> str:
    return f"{form['command']}, attempt {form['attempt']}: {_tell_failed(form['failure'])}"


def _by(form: Mapping[str, Any]) -> str:
    return f"by {form['by']}" + (f": {form['reason']}" if form.get("reason") else "")


def _value(value: Any) -> str:
    return str(RawJson.of(value))


_TELLERS: dict[str, Callable[[Any], str]] = {
    K.EXECUTION_STARTED: _tell_started,
    K.EXECUTION_SUSPENDED: _tell_suspended,
    K.EXECUTION_RESUMED: _tell_resumed,
    K.EXECUTION_CANCEL_REQUESTED: _by,
    K.EXECUTION_CANCELLED: _tell_cancelled,
    K.EXECUTION_FAILED: _tell_failed,
    K.STEP_STARTED: _tell_step_started,
    K.STEP_COMPLETED: _tell_step_completed,
    K.STEP_FAILED: _tell_step_failed,
    K.STEP_RETRIED: _tell_step_retried,
    K.MESSAGE_CONSUMED: _tell_message,
    K.CHILD_STARTED: _tell_child,
    K.CHILD_OUTCOME: _tell_outcome,
}
