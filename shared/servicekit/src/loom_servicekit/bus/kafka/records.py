"""A hint as Kafka carries it: CloudEvents 1.0 in binary mode, pointers with incarnations in JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from loom.errors import LoomError
from loom.ids import Instant
from loom.kernel.hints import ChildDone, Envelope, ExecutionParked, Hint, NotifyResume
from loom.kernel.raw_json import encode
from loom.wire.codec import decode_answer
from loom_servicekit.bus.lanes import ContractViolation

Headers = Sequence[tuple[str, bytes | None]]

SPEC_VERSION = "1.0"
CONTENT_TYPE = "application/json"
QUOTED_MAX = 100
"""Characters of a header that a fault repeats: a header may have a megabyte, and each line of the log would."""

MESSAGES: Mapping[str, type[Hint]] = {
    f"dev.{message.TOPIC}": message for message in (ChildDone, ExecutionParked, NotifyResume)
}
"""Messages by their `ce_type`: the topic's name, which ends in the major version, below a domain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What is written to a topic. Headers are a list: aiokafka takes nothing else."""

    topic: str
    key: bytes | None
    value: bytes | None
    headers: list[tuple[str, bytes]]


def record_of(envelope: Envelope, *, cluster: str, prefix: str = "") -> Record:
    """The record of a hint that the event store of `cluster` tells; its trace context goes along as it is."""
    hint = envelope.hint
    attributes = {
        "ce_specversion": SPEC_VERSION,
        "ce_id": id_of(hint),
        "ce_source": f"/loom/event-store/{cluster}",
        "ce_type": type_of(hint),
        "ce_subject": "/".join(_subject(hint)),
        "ce_time": _written(envelope.created_at),
        "ce_dataschema": schema_of(type(hint)),
        "content-type": CONTENT_TYPE,
    }
    if envelope.traceparent is not None:
        attributes["traceparent"] = envelope.traceparent
    return Record(
        topic=prefix + hint.TOPIC,
        key=hint.key.encode(),
        value=encode(hint).encode(),
        headers=[(name, value.encode()) for name, value in attributes.items()],
    )


def envelope_of(value: bytes | None, headers: Headers, *, timestamp: int) -> Envelope:
    """The hint that a record carries. `timestamp`: the record's, where the message says none. Raises
    ContractViolation: no event of ours, of a version that this one cannot read, or not what its type says.
    """
    attributes = _attributes(headers)
    if attributes.get("ce_specversion") != SPEC_VERSION:
        raise ContractViolation(f"ce_specversion is {_quoted(attributes.get('ce_specversion'))}, not {SPEC_VERSION}")
    message = MESSAGES.get(attributes.get("ce_type", ""))
    if message is None:
        raise ContractViolation(f"ce_type {_quoted(attributes.get('ce_type'))} is none of {', '.join(MESSAGES)}")
    try:
        hint = decode_answer(message, value or b"")
    except LoomError as error:
        raise ContractViolation(f"no {attributes['ce_type']}: {error.detail}") from None
    created_at = _read(attributes["ce_time"]) if "ce_time" in attributes else Instant(timestamp)
    return Envelope(hint=hint, created_at=created_at, traceparent=attributes.get("traceparent"))


def type_of(hint: Hint) -> str:
    """Its `ce_type`."""
    return f"dev.{hint.TOPIC}"


def schema_of(message: type[Hint]) -> str:
    """Its `ce_dataschema`: names what docs/asyncapi.yaml describes."""
    return f"urn:loom:{message.TOPIC.removeprefix('loom.')}"


def id_of(hint: Hint) -> str:
    """Made of the body alone, so that a record published again is recognised as the same; with the incarnation, since
    an id may live twice (kafka 2.4 point 2). A child of several parents tells each, so the edge is part of it.
    """
    edge = f":{hint.parent}/{hint.child_key}" if isinstance(hint, ChildDone) else ""
    sequence = hint.park_seq if isinstance(hint, ExecutionParked) else hint.sequence
    incarnation = hint.child_incarnation if isinstance(hint, ChildDone) else hint.incarnation
    return f"{'/'.join(_subject(hint))}:{incarnation:d}:{sequence}:{type_of(hint)}{edge}"


def _subject(hint: Hint) -> tuple[str, str]:
    """Who did what is told."""
    return hint.namespace, hint.child if isinstance(hint, ChildDone) else hint.execution


def _attributes(headers: Headers) -> dict[str, str]:
    try:
        return {name: value.decode() for name, value in reversed(list(headers)) if value is not None}
    except UnicodeDecodeError:
        raise ContractViolation("a header is not UTF-8") from None


def _quoted(text: str | None) -> str:
    return repr(text) if text is None or len(text) <= QUOTED_MAX else f"{text[:QUOTED_MAX]!r}.."


def _written(instant: Instant) -> str:
    at = datetime.fromtimestamp(instant / 1000, UTC)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _read(text: str) -> Instant:
    try:
        return Instant(round(datetime.fromisoformat(text).timestamp() * 1000))
    except (ValueError, OverflowError):
        raise ContractViolation(f"ce_time {_quoted(text)} is no instant") from None
