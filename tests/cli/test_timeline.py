from typing import Any

import pytest

from cli.nouns import an_event
from loom.kernel.kinds import EventKind
from loom.kernel.raw_json import RawJson
from loom_cli.timeline import tell_event

CHILD = {"namespace": "shop", "execution_id": "ord-17~cabc", "incarnation": "43"}
TOLD: list[tuple[str, Any, str]] = [
    (
        "EXECUTION_STARTED",
        {"workflow": "pay", "code_version": "2", "queue": "q", "input": [1], "parent": {**CHILD, "key": "k"}},
        "pay@2 on q, input [1], child k of ord-17~cabc",
    ),
    (
        "EXECUTION_SUSPENDED",
        {"waits": [{"id": "w", "message": {"name": "paid", "key": None}}], "heard": None},
        "waits for message paid",
    ),
    ("EXECUTION_RESUMED", {"wait": "w", "keys": ["a", "b"], "by": "resume"}, "wait w answered by resume: a, b"),
    (
        "EXECUTION_RESUMED",
        {"wait": None, "keys": [], "by": "operator"},
        "no wait answered by operator",
    ),
    ("EXECUTION_CANCEL_REQUESTED", {"by": "request", "reason": "too late"}, "by request: too late"),
    ("EXECUTION_CANCELLED", {"by": "terminate", "reason": None, "detail": None}, "by terminate"),
    (
        "EXECUTION_FAILED",
        {"type": "Declined", "message": "no funds", "details": None, "traceback": ""},
        "Declined: no funds",
    ),
    (
        "MESSAGE_CONSUMED",
        {"message_id": "m", "name": "paid", "key": "k", "payload": {"a": 1}, "wait": "w"},
        'paid with key k: {"a":1}',
    ),
    ("CHILD_STARTED", {"key": "k", "child": CHILD, "workflow": "pay", "attached": False}, "k is ord-17~cabc, pay"),
    (
        "CHILD_OUTCOME",
        {"key": "k", "child": CHILD, "status": "completed", "outcome": 3, "wait": None},
        "k completed: 3",
    ),
    ("STEP_STARTED", {"command": "0/greet/0", "type": "step", "digest": "d"}, "step 0/greet/0"),
    (
        "STEP_STARTED",
        {"command": "0/sleep/0", "type": "sleep", "wake_at": 1_700_000_000_000},
        "sleep 0/sleep/0, until 2023-11-14 22:13:20.000Z",
    ),
    ("STEP_COMPLETED", {"command": "0/greet/0", "type": "step", "result": "hi", "at": 1}, '0/greet/0: "hi"'),
    ("STEP_COMPLETED", {"command": "0/sleep/0", "type": "sleep", "at": 1}, "0/sleep/0"),
    ("STEP_FAILED", {"command": "0/a/0", "type": "step", "failure": {"type": "E", "message": "m"}}, "0/a/0: E: m"),
    (
        "STEP_RETRIED",
        {"command": "0/a/0", "type": "step", "attempt": 2, "failure": {"type": "E", "message": "m"}},
        "0/a/0, attempt 2: E: m",
    ),
    ("EXECUTION_COMPLETED", {"a": 1}, '{"a":1}'),
    ("invoice.sent", None, ""),
]


@pytest.mark.parametrize(("kind", "payload", "told"), TOLD)
def test_an_event_is_told_in_one_line(kind: str, payload: Any, told: str) -> None:
    """Design 2: the payloads that the store makes have one shape each, and a person reads what they mean."""
    assert tell_event(an_event(kind, payload)) == told


@pytest.mark.parametrize("kind", [*EventKind, "of-an-application"])
@pytest.mark.parametrize(
    "raw", ["[]", "7", '"x"', "{}", '{"waits":[{"id":1}]}', '{"by":1e999}', "[" * 100_000 + "]" * 100_000]
)
def test_a_payload_of_any_shape_is_shown_as_it_is(kind: str, raw: str) -> None:
    """Payloads are opaque (design 5): an owner's, a newer server's or a deep one never breaks the command."""
    assert tell_event(an_event(kind, RawJson(raw)))
