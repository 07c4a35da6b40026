"""Heads and events as a store would answer them, for what is only shown."""

from dataclasses import replace
from typing import Any

from loom.ids import Chain, ExecutionId, Incarnation, Instant, Namespace, Sequence, Token
from loom.kernel.events import Event
from loom.kernel.heads import Head, Status
from loom.kernel.raw_json import RawJson

BEGAN_AT = Instant(1_700_000_000_000)


def a_head(**changes: Any) -> Head:
    """A running execution of two events, owned by nobody."""
    head = Head(
        namespace=Namespace("shop"),
        execution_id=ExecutionId("ord-17"),
        incarnation=Incarnation(42),
        chain=Chain(42),
        single_writer=False,
        token=Token((1 << 32) | 3),
        status=Status.RUNNING,
        last_seq=Sequence(2),
        workflow="order",
        code_version="0",
        queue="default",
        root=Incarnation(42),
        created_at=BEGAN_AT,
        status_at=BEGAN_AT,
    )
    return replace(head, **changes)


def an_event(kind: str, payload: Any = None, *, seq: int = 1, counter: int = 1, after_ms: int = 0) -> Event:
    """An event whose payload is `payload` as JSON, or as it is if it is JSON text already."""
    return Event(
        seq=Sequence(seq),
        kind=kind,
        payload=payload if isinstance(payload, RawJson) else RawJson.of(payload),
        fence=Token((1 << 32) | counter),
        kernel=True,
        recorded_at=Instant(BEGAN_AT + after_ms),
    )
