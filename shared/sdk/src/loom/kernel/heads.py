"""The rows beside the log, above all the head: the one row that says all that matters about an execution now."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum

from loom.ids import Chain, ExecutionId, ExecutionRef, Incarnation, Instant, Namespace, Sequence, Token, answer
from loom.kernel.parks import EdgeStatus, OperatorWait, Wait
from loom.kernel.raw_json import RawJson


class Status(StrEnum):
    """Where an execution stands; runnable and blocked are shown, not stored."""

    PENDING = "pending"
    RUNNING = "running"
    PARKED = "parked"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    CONTINUED = "continued"
    DELETED = "deleted"


LIVE = frozenset({Status.PENDING, Status.RUNNING, Status.PARKED})
EDGE_STATUS: dict[Status, EdgeStatus] = {
    Status.COMPLETED: "completed",
    Status.FAILED: "failed",
    Status.CANCELLED: "cancelled",
}
"""What an edge says of a child that has ended so; a continued one is not at its end."""

ENDED = frozenset({Status.COMPLETED, Status.FAILED, Status.CANCELLED, Status.CONTINUED})


@answer
class Head:
    """One per execution; every condition of every guard is a field of it (law 1).

    `head` is the store's surrogate, `grant_hash` the hash of the owner's nonce; neither leaves the store.
    """

    SHOWN = ("shown",)

    namespace: Namespace
    execution_id: ExecutionId
    incarnation: Incarnation
    chain: Chain
    link: int = 1
    single_writer: bool
    token: Token
    owner: str | None = None
    lease_until: Instant | None = None
    status: Status
    last_seq: Sequence
    last_position: int | None = None
    park_seq: Sequence | None = None  # <= last_seq; set if and only if parked with a known tail
    waits: tuple[Wait, ...] = ()
    wake_at: Instant | None = None  # the earliest timer of the open park
    unknown_tail: bool = False
    workflow: str
    code_version: str
    queue: str | None = None
    not_before: Instant | None = None
    deadline_at: Instant | None = None
    parent_incarnation: Incarnation | None = None
    parent_key: str | None = None
    root: Incarnation
    cancel_requested_at: Instant | None = None
    cancel_seq: Sequence | None = None
    cancel_deadline: Instant | None = None
    fruitless_claims: int = 0
    archived_seq: Sequence | None = None
    log_bytes: int = 0
    created_at: Instant
    status_at: Instant
    ended_at: Instant | None = None
    ending: Status | None = None
    result_digest: str | None = None
    traceparent: str | None = None  # of the newest STARTED or RESUMED, which began the segment that runs now
    head: int = field(default=0, metadata={"hidden": True})
    grant_hash: str | None = field(default=None, metadata={"hidden": True})
    parent_head: int | None = field(default=None, metadata={"hidden": True})

    @property
    def ref(self) -> ExecutionRef:
        return ExecutionRef(namespace=self.namespace, execution_id=self.execution_id, incarnation=self.incarnation)

    @property
    def ended(self) -> bool:
        return self.status in ENDED

    @property
    def shown(self) -> str:
        """The status for people: `runnable` is running without an owner, `blocked` a park on an operator."""
        if self.status is Status.RUNNING and self.owner is None and not self.single_writer:
            return "runnable"
        if self.status is Status.PARKED and any(isinstance(wait, OperatorWait) for wait in self.waits):
            return "blocked"
        return self.status.value

    def holds_lease(self, now: Instant) -> bool:
        """Live while the expiry is greater than now; at equality dead."""
        return self.grant_hash is not None and self.lease_until is not None and self.lease_until > now


@answer
class Mail:
    """A message in the inbox. `consumed_at_seq` None: waiting."""

    message_id: str
    inbox_seq: int
    name: str
    key: str | None = None
    payload: RawJson
    sender: str | None = None
    sent_at: Instant
    consumed_at_seq: Sequence | None = None
    consumed_at: Instant | None = None
    resumed: bool = False  # did the send itself answer a park?


@answer
class Pin:
    """A reason not to delete, by its owner's name. `expiry` None: until it is removed."""

    owner: str
    reason: str
    expiry: Instant | None = None


@answer
class GrantRow:
    """A bump of the token that appends no event: by which rule, to whom, when."""

    token: Token
    rule: str
    owner: str | None
    at: Instant


@answer
class RefusalRow:
    """Late writes that were refused: presented and current token, how often."""

    token: Token
    surface: str
    code: str
    current_token: Token
    count: int
    first_at: Instant
    last_at: Instant


@answer
class Node:
    """A process of a service, as it told of itself. `features`: those it knows. `seen_at`: when it told last."""

    instance: str
    role: str
    version: str
    features: tuple[str, ...]
    seen_at: Instant


@answer
class Duty:
    """A round that one replica runs. `term` grows by one at each taking or prolonging; compare-and-set on it."""

    name: str
    owner: str | None = None
    term: int = 0
    until: Instant | None = None
    last_run: Instant | None = None
