"""Facts in a log."""

from __future__ import annotations

from dataclasses import field

from loom.ids import Instant, Sequence, Token, answer, noun
from loom.kernel.raw_json import NULL, RawJson


@noun
class NewEvent:
    """An event as its writer words it; the store assigns sequence, fence, kernel stamp, actor and time.

    MESSAGE_CONSUMED names `message_id`, CHILD_OUTCOME names `child_key`, both may name the `wait` they are for; their
    payload is copied by the store and may not be given (I17). `position` is an engine's own number, strictly greater
    than the last one of that log (I1). A terminal event's payload is the result, the failure, or the cancel's detail.
    """

    kind: str
    payload: RawJson = NULL
    position: int | None = None
    wait: str | None = None
    message_id: str | None = None
    child_key: str | None = None


@answer
class Event:
    """An event as the log holds it. `kernel` is stamped by servers only; `fence` is the token it was written under."""

    seq: Sequence
    kind: str
    payload: RawJson
    fence: Token
    kernel: bool
    recorded_at: Instant
    position: int | None = None
    actor: str | None = None
    answers_park: Sequence | None = None
    traceparent: str | None = None
    batch_id: str | None = field(default=None, metadata={"hidden": True})
    batch_digest: str | None = field(default=None, metadata={"hidden": True})
