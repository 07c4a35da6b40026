"""Cancel requests in a log: made there, or carried over from the link before (I57)."""

from __future__ import annotations

import json
from typing import Any

from loom.kernel.events import Event
from loom.kernel.kinds import EventKind


def request_in(event: Event) -> dict[str, Any] | None:
    """What the event says of a cancel request, `{"by", "reason"}`; None: it is about none."""
    if event.kind == EventKind.EXECUTION_CANCEL_REQUESTED:
        return dict(json.loads(event.payload))
    if event.kind == EventKind.EXECUTION_STARTED:
        said = json.loads(event.payload, parse_int=str) or {}  # str: an integer of the input may have any length
        return said.get("cancel") or None
    return None
