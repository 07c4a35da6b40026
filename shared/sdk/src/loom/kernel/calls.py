"""Every call of the event store and its answer: the port's arguments, the REST bodies and the vocabulary of `decide`.

`namespace` and `execution_id` address a call and stand in the path; `batch_id` is its Idempotency-Key (I3). An owner
presents its `credential`; without one a call names the `incarnation` it saw, or the `chain` it means.
"""

from __future__ import annotations

from typing import Literal

from loom.ids import (
    Chain,
    Credential,
    ExecutionId,
    ExecutionRef,
    Incarnation,
    Instant,
    Namespace,
    Nonce,
    SeenChain,
    SeenIncarnation,
    Sequence,
    Token,
    answer,
    noun,
)
from loom.kernel.events import Event, NewEvent
from loom.kernel.heads import GrantRow, Head, Mail, Node, Pin, RefusalRow, Status
from loom.kernel.limits import Limits
from loom.kernel.parks import Edge, Wait
from loom.kernel.raw_json import NULL, RawJson

# --- starting ---------------------------------------------------------------------------------------------------------


@noun
class Start:
    """Start an execution. Without a `queue` it is in single-writer mode: `claims` never hands it out.

    `if_exists` return answers with what lives under the id; a deleted id needs `recreate` (I5).
    """

    namespace: Namespace
    execution_id: ExecutionId
    batch_id: str
    workflow: str
    code_version: str = "0"
    queue: str | None = None
    input: RawJson = NULL
    if_exists: Literal["raise", "return"] = "raise"
    recreate: bool = False
    delay_ms: int | None = None
    timeout_ms: int | None = None


@answer
class Started:
    execution: ExecutionRef
    chain: Chain
    token: Token
    status: Status
    created: bool


@noun
class StartChild:
    """Start a child, judged by its parent's credential in the same transaction (I30). Its id is derived (I39).

    `queue` None: the parent's.
    """

    namespace: Namespace
    execution_id: ExecutionId
    credential: Credential | None = None
    incarnation: SeenIncarnation | None = None
    batch_id: str
    child_key: str
    workflow: str
    code_version: str = "0"
    queue: str | None = None
    input: RawJson = NULL
    close: Literal["terminate", "cancel", "abandon"] = "cancel"
    scope: Literal["run", "chain"] = "chain"
    delay_ms: int | None = None
    timeout_ms: int | None = None


@answer
class ChildStarted:
    """`created` false: the key already had this child."""

    child: ExecutionRef
    seq: Sequence | None  # of CHILD_STARTED in the parent's log
    created: bool


@noun
class Attach:
    """Adopt a living chain as a child: its outcome is wanted, too. Judged by the parent's credential (I30).

    `child_id` and `chain` name what is attached, in the parent's namespace.
    """

    namespace: Namespace
    execution_id: ExecutionId
    credential: Credential | None = None
    incarnation: SeenIncarnation | None = None
    batch_id: str
    child_key: str
    child_id: ExecutionId
    chain: SeenChain
    close: Literal["terminate", "cancel", "abandon"] = "abandon"
    scope: Literal["run", "chain"] = "chain"


@noun
class ContinueAsNew:
    """End this link and start the next under the same id (I58). What is not named stays as it was.

    Names an incarnation, never `*`: a repeat is looked up by it, and would otherwise continue the next link too.
    `release` names children whose outcome is not wanted any more, as an append's does.
    """

    namespace: Namespace
    execution_id: ExecutionId
    credential: Credential | None = None
    incarnation: SeenIncarnation | None = None
    batch_id: str
    input: RawJson = NULL
    workflow: str | None = None
    code_version: str | None = None
    release: tuple[str, ...] = ()


@answer
class Continued:
    """The next link; `token` is its head's, which no credential of the ended link can present."""

    execution: ExecutionRef
    chain: Chain
    link: int
    token: Token


# --- writing by the owner ---------------------------------------------------------------------------------------------


@answer
class Waiting:
    """What waits for a busy owner: messages, ended children, a cancel request."""

    messages: bool = False
    outcomes: bool = False
    cancel_seq: Sequence | None = None


@noun
class Append:
    """Append events, all or nothing. `release` names children whose outcome the owner will not take any more."""

    namespace: Namespace
    execution_id: ExecutionId
    credential: Credential | None = None
    incarnation: SeenIncarnation | None = None
    batch_id: str
    events: tuple[NewEvent, ...]
    expected_seq: Sequence | None = None
    release: tuple[str, ...] = ()


@answer
class Appended:
    first_seq: Sequence
    last_seq: Sequence
    waiting: Waiting


@noun
class AppendItem:
    """One execution's part of a batch."""

    execution_id: ExecutionId
    credential: Credential | None = None
    incarnation: SeenIncarnation | None = None
    events: tuple[NewEvent, ...]
    expected_seq: Sequence | None = None


@noun
class AppendBatch:
    """Append to several executions in one transaction, all or nothing (I2); each may occur once."""

    namespace: Namespace
    batch_id: str
    items: tuple[AppendItem, ...]


@answer
class BatchAppended:
    items: tuple[Appended, ...]


@noun
class Park:
    """Park on `waits`. `heard` is the cancel request the body knows of; an unheard one answers the park at once."""

    namespace: Namespace
    execution_id: ExecutionId
    credential: Credential | None = None
    incarnation: SeenIncarnation | None = None
    batch_id: str
    waits: tuple[Wait, ...]
    heard: Sequence | None = None


@answer
class Parked:
    """`answered_seq`: the RESUMED by which the park answered itself in the same transaction."""

    park_seq: Sequence
    token: Token
    answered_seq: Sequence | None = None


# --- ownership --------------------------------------------------------------------------------------------------------


@noun
class Claim:
    """Claim one execution: a compare-and-set on the incarnation and token seen (I24). Its repeat has the same nonce."""

    namespace: Namespace
    execution_id: ExecutionId
    incarnation: SeenIncarnation
    token: Token
    nonce: Nonce
    owner: str
    ttl_ms: int


@answer
class Claimed:
    """The one answer that holds the nonce."""

    credential: Credential
    lease_until: Instant
    ttl_ms: int
    head: Head


@noun
class ClaimRunnable:
    """Claim up to `max` runnable executions of `workflows` (`name@version`), oldest first.

    A repeat with the same nonce answers what it still holds. `wait_ms`: how long a service may hold the answer back
    while there is nothing; a store answers at once.
    """

    namespace: Namespace
    queue: str
    workflows: tuple[str, ...]
    max: int
    nonce: Nonce
    owner: str
    ttl_ms: int = 10_000
    wait_ms: int = 0


@answer
class Claims:
    items: tuple[Claimed, ...]


@noun
class Renew:
    namespace: Namespace
    execution_id: ExecutionId
    credential: Credential
    ttl_ms: int


@answer
class Renewed:
    lease_until: Instant
    ttl_ms: int
    waiting: Waiting


@noun
class Release:
    """Give the lease back; that claim no longer counts. `delay_ms`: what cannot be started, come back later."""

    namespace: Namespace
    execution_id: ExecutionId
    credential: Credential
    delay_ms: int | None = None


@answer
class Released:
    token: Token


@noun
class Evict:
    """Take a running execution from its owner, by an operator: compare-and-set on the token seen. Runnable again.

    The reason is kept in the log, as an ANNOTATED `{"evicted": owner, "reason"}`.
    """

    namespace: Namespace
    execution_id: ExecutionId
    incarnation: SeenIncarnation
    token: Token
    reason: str | None = None


# --- answering parks --------------------------------------------------------------------------------------------------


@noun
class Resume:
    """Answer the park at `park_seq`, naming the wait and, for children, the keys (I17).

    `wait` None re-opens any park, which only an operator does. With a `credential` it is the RESUMED of the holder of
    an acquire-if-parked grant, which bumps no second time.
    """

    namespace: Namespace
    execution_id: ExecutionId
    incarnation: SeenIncarnation
    park_seq: Sequence
    wait: str | None = None
    keys: tuple[str, ...] = ()
    credential: Credential | None = None
    batch_id: str | None = None


@answer
class Resumed:
    resumed_seq: Sequence
    token: Token


@noun
class AcquireIfParked:
    """Take an open park's token, for an engine with an append of its own; else `stale` with the current token."""

    namespace: Namespace
    execution_id: ExecutionId
    incarnation: SeenIncarnation
    park_seq: Sequence
    token: Token
    nonce: Nonce
    owner: str
    ttl_ms: int


@noun
class AppendIfUnchanged:
    """The audit call: one event of an audit kind, without a credential. `token`, `last_seq`: compared if given."""

    namespace: Namespace
    execution_id: ExecutionId
    incarnation: SeenIncarnation
    kind: str
    payload: RawJson = NULL
    token: Token | None = None
    last_seq: Sequence | None = None
    batch_id: str | None = None


@answer
class Noted:
    seq: Sequence


# --- ending -----------------------------------------------------------------------------------------------------------


@noun
class Cancel:
    """Request cancellation of a chain. `by` deadline: the execution's own `deadline_at` must have passed."""

    namespace: Namespace
    execution_id: ExecutionId
    chain: SeenChain
    reason: str | None = None
    by: Literal["request", "deadline", "parent"] = "request"
    deadline_ms: int | None = None
    batch_id: str | None = None


@answer
class CancelRequested:
    """`cancel_seq` is the open request's event; None: it was pending and is cancelled."""

    execution: ExecutionRef
    status: Status
    cancel_seq: Sequence | None = None


@noun
class Terminate:
    """End an execution at once. With `cancel_seq`: only since that request's deadline has passed (`not-yet` before)."""

    namespace: Namespace
    execution_id: ExecutionId
    incarnation: SeenIncarnation
    reason: str | None = None
    cancel_seq: Sequence | None = None
    by: Literal["terminate", "parent"] = "terminate"
    batch_id: str | None = None


@noun
class Fail:
    """End an execution as failed, by an operator. `failure` is carried."""

    namespace: Namespace
    execution_id: ExecutionId
    incarnation: SeenIncarnation
    failure: RawJson = NULL
    batch_id: str | None = None


@answer
class Ended:
    seq: Sequence
    status: Status
    token: Token


@noun
class Delete:
    """Remove what is ended, archived where archiving is on, and unpinned (I45). The head stays as a tombstone."""

    namespace: Namespace
    execution_id: ExecutionId
    incarnation: SeenIncarnation
    credential: Credential | None = None
    archived: bool = False  # archiving is on: archived_seq must equal last_seq
    dry_run: bool = False  # judged like any other, and nothing is removed


@answer
class Erased:
    """The tombstone's token and ending."""

    token: Token
    ending: Status


# --- messages, pins, archive ------------------------------------------------------------------------------------------


@noun
class StartIfAbsent:
    """How to start the receiver of a message if there is none. Goes with the chain `*`: no number is known before."""

    workflow: str
    code_version: str = "0"
    queue: str | None = None
    input: RawJson = NULL
    delay_ms: int | None = None
    timeout_ms: int | None = None


@noun
class Send:
    """Send a message to a chain; a repeat by `message_id` gets the first answer. A `sender` is judged too (I30)."""

    namespace: Namespace
    execution_id: ExecutionId
    chain: SeenChain
    message_id: str
    name: str
    key: str | None = None
    payload: RawJson = NULL
    sender: Credential | None = None
    start: StartIfAbsent | None = None


@answer
class Sent:
    inbox_seq: int
    resumed: bool


@noun
class SetPin:
    """Pin against deletion, by its owner's name; set again, it changes."""

    namespace: Namespace
    execution_id: ExecutionId
    incarnation: SeenIncarnation
    owner: str
    reason: str
    ttl_ms: int | None = None


@noun
class RemovePin:
    namespace: Namespace
    execution_id: ExecutionId
    incarnation: SeenIncarnation
    owner: str


@answer
class Pins:
    items: tuple[Pin, ...]


@noun
class MarkArchived:
    """The log is archived up to `seq`."""

    namespace: Namespace
    execution_id: ExecutionId
    incarnation: SeenIncarnation
    seq: Sequence


@answer
class Archived:
    archived_seq: Sequence


# --- duties -----------------------------------------------------------------------------------------------------------


@noun
class TakeDuty:
    """Take or prolong a duty: compare-and-set on the `term` seen; free, expired or mine. `ran`: a round just ran."""

    name: str
    owner: str
    term: int
    ttl_ms: int
    ran: bool = False


@noun
class GiveUpDuty:
    name: str
    owner: str
    term: int


# --- the fleet --------------------------------------------------------------------------------------------------------


@noun
class Heartbeat:
    """A process of a service tells who it is and which features it knows, every few seconds."""

    instance: str
    role: str
    version: str
    features: tuple[str, ...]


@noun
class SwitchFeature:
    """Turn a feature of the fleet on or off. On is refused while a live node does not know it."""

    name: str
    on: bool


@answer
class Features:
    """Those that are on."""

    features: tuple[str, ...]


# --- reading ----------------------------------------------------------------------------------------------------------


@noun
class ReadHead:
    namespace: Namespace
    execution_id: ExecutionId


@noun
class ReadEvents:
    """Events from `from_seq` on, at most `limit`. `wait_ms`: how long a service may wait for the first."""

    namespace: Namespace
    execution_id: ExecutionId
    incarnation: SeenIncarnation = "*"
    from_seq: Sequence = Sequence(1)
    limit: int = 1000
    wait_ms: int = 0


@answer
class Log:
    """A slice of a log. An execution that does not exist has an empty one (`last_seq` 0)."""

    events: tuple[Event, ...]
    last_seq: Sequence
    incarnation: Incarnation | None = None
    status: Status | None = None


@noun
class ReadPark:
    namespace: Namespace
    execution_id: ExecutionId
    incarnation: SeenIncarnation = "*"


@answer
class OpenPark:
    """What a resumer must know, read from the primary. `park_seq` None: not parked, or on an `unknown_tail`."""

    execution: ExecutionRef
    chain: Chain
    status: Status
    token: Token
    last_seq: Sequence
    park_seq: Sequence | None
    unknown_tail: bool
    waits: tuple[Wait, ...]
    wake_at: Instant | None
    edges: tuple[Edge, ...]  # of the children that the waits name


@noun
class ReadInbox:
    """Messages waiting, oldest first; with `name` only those, with `key` only that key.

    `after`: the `inbox_seq` behind which to go on.
    """

    namespace: Namespace
    execution_id: ExecutionId
    incarnation: SeenIncarnation = "*"
    name: str | None = None
    key: str | None = None
    after: int = 0
    limit: int = 100


@answer
class Inbox:
    items: tuple[Mail, ...]


@noun
class ReadChildren:
    """Edges of an execution as parent. `after`: the key after which to go on, in the order of their making."""

    namespace: Namespace
    execution_id: ExecutionId
    incarnation: SeenIncarnation = "*"
    after: str | None = None
    limit: int = 1000


@answer
class Children:
    items: tuple[Edge, ...]


@noun
class ReadPins:
    namespace: Namespace
    execution_id: ExecutionId
    incarnation: SeenIncarnation = "*"


@noun
class ReadOwnership:
    namespace: Namespace
    execution_id: ExecutionId


@answer
class Ownership:
    """The timeline of tokens: bumps without an event, events per token, late writes refused."""

    token: Token
    owner: str | None
    lease_until: Instant | None
    grants: tuple[GrantRow, ...]
    refusals: tuple[RefusalRow, ...]
    writes: tuple[Writes, ...]


@answer
class Writes:
    """What a token wrote: first and last sequence, how many events."""

    token: Token
    first_seq: Sequence
    last_seq: Sequence
    count: int


@noun
class ReadWhy:
    namespace: Namespace
    execution_id: ExecutionId


@answer
class Reason:
    """One link of the causal chain: a stable `code`, a sentence, and the execution it leads to, if any."""

    code: str
    text: str
    execution: ExecutionRef | None = None


@answer
class Why:
    head: Head
    reasons: tuple[Reason, ...]


@noun
class ListExecutions:
    """Newest first, by keyset cursor. `statuses` None: all. An id prefix narrows."""

    namespace: Namespace
    statuses: tuple[Status, ...] | None = None
    workflow: str | None = None
    id_prefix: str | None = None
    ended_before: Instant | None = None
    cursor: str | None = None
    limit: int = 100


@answer
class Executions:
    items: tuple[Head, ...]
    cursor: str | None


@noun
class CountExecutions:
    namespace: Namespace


@answer
class Counts:
    """Executions by status."""

    counts: dict[str, int]


@noun
class ListNamespaces:
    pass


@answer
class Namespaces:
    items: tuple[Namespace, ...]


@noun
class ListDue:
    """What a sweep must look at, over all namespaces, decided from heads and edges alone.

    overdue: parks whose timer passed by more than `grace_ms`; satisfied: parks whose child or group rule is met;
    cancels: requests whose deadline passed; deadlines: executions whose `deadline_at` passed and no request is open;
    closes: children that have not ended and whose parent has, by their close policy.
    """

    about: Literal["overdue", "satisfied", "cancels", "deadlines", "closes"]
    grace_ms: int = 0
    cursor: str | None = None
    limit: int = 500


@answer
class Due:
    """One finding, with what its remedy must name."""

    execution: ExecutionRef
    chain: Chain
    park_seq: Sequence | None = None
    wait: str | None = None
    keys: tuple[str, ...] = ()
    cancel_seq: Sequence | None = None
    close: Literal["terminate", "cancel"] | None = None


@answer
class DueList:
    items: tuple[Due, ...]
    cursor: str | None


@noun
class ReadDuty:
    name: str


@noun
class ReadStore:
    pass


@answer
class StoreInfo:
    """What the store is: the port's version, its epoch, which features are on, its limits, and the fleet around it."""

    port_version: int
    epoch: int
    schema_version: int
    features: tuple[str, ...]
    limits: Limits
    fleet: tuple[Node, ...] = ()


WriteCall = (
    Start
    | StartChild
    | Attach
    | ContinueAsNew
    | Append
    | AppendBatch
    | Park
    | Claim
    | Renew
    | Release
    | Evict
    | Resume
    | AcquireIfParked
    | AppendIfUnchanged
    | Cancel
    | Terminate
    | Fail
    | Delete
    | Send
    | SetPin
    | RemovePin
    | MarkArchived
    | TakeDuty
    | GiveUpDuty
    | Heartbeat
    | SwitchFeature
)
