"""Repeats: a call is recognised by what it wrote (I3)."""

from __future__ import annotations

from typing import Any

from loom.errors import KeyReused
from loom.ids import ANY, Credential, SeenIncarnation
from loom.kernel.change import View
from loom.kernel.digests import digest_of
from loom.kernel.events import Event
from loom.kernel.heads import Head


def named_head(view: View, call: Any) -> Head | None:
    """The head of the incarnation that the call names, wherever it is now; else what lives under the id."""
    credential: Credential | None = getattr(call, "credential", None)
    seen: SeenIncarnation | None = credential.incarnation if credential else getattr(call, "incarnation", None)
    if seen is None or seen == ANY:
        return view.head_named(call.namespace, call.execution_id)
    return view.head_of(seen)


def first_event(view: View, head: Head | None, call: Any) -> Event | None:
    """The first event that this very call wrote before, or None. Raises KeyReused for another call under its key."""
    if head is None or call.batch_id is None:
        return None
    event = view.event_of_batch(head.head, call.batch_id)
    if event is not None and event.batch_digest != digest_of(call):
        raise KeyReused(
            f"the Idempotency-Key {call.batch_id} was used for another call on {head.execution_id}",
            execution_id=head.execution_id,
        )
    return event
