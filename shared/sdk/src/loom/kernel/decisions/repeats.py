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
    """The head of the incarnation that the call names, wherever that link is now; else what lives under the id."""
    credential: Credential | None = getattr(call, "credential", None)
    seen: SeenIncarnation | None = credential.incarnation if credential else getattr(call, "incarnation", None)
    if seen is None or seen == ANY:
        return view.head_named(call.namespace, call.execution_id)
    head = view.head_of(seen)
    return head if head is not None and is_link_of(head, call) else None


def is_link_of(head: Head, call: Any) -> bool:
    """Is it under the id that the call addresses, or an ended link of that id? Keys of others are not told."""
    names = (call.execution_id, f"{call.execution_id}~{int(head.incarnation)}")
    return head.namespace == call.namespace and head.execution_id in names


def first_event(view: View, head: Head | None, call: Any, whole: Any = None) -> Event | None:
    """The first event that this very call wrote before, or None. Raises KeyReused for another call under its key.

    `whole` is the batch of which `call` is one part.
    """
    if head is None or call.batch_id is None:
        return None
    event = view.event_of_batch(head.head, call.batch_id)
    if event is not None and event.batch_digest != digest_of(whole or call):
        raise KeyReused(
            f"the Idempotency-Key {call.batch_id} was used for another call on {head.execution_id}",
            execution_id=head.execution_id,
        )
    return event
