"""The error tree.

    LoomError
    |- Invalid             mend the request or the rights
    |  |- TooLarge, KeyReused, Unauthenticated, Forbidden
    |- Refused             take no for an answer
    |  |- NotFound, ExecutionGone (Deleted, Gone), ForeignCredential, CredentialRequired, NotParked, NotClaimable,
    |  |  AlreadyExists, SequenceConflict, OrderViolation, IllegalTransition, ExecutionPinned, LimitReached, InboxFull,
    |  |  UnchangedMismatch, FleetBehind
    |- Superseded          stop: another owns it
    |  |- Stale, LostHistory
    |- Contended           come back later
       |- LeaseHeld, NotYet, RateLimited, ResumeContended, Busy, StoreUnavailable

What a workflow meets stands apart: WorkflowError (StepFailed, ChildFailed, ExecutionFailed, EventTimeout, Fatal,
NotReplaySafe, NonDeterminism), and Detached, a signal.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar


class LoomError(Exception):
    """A store's or a service's no. `facts` names the ids involved and is part of the problem on the wire."""

    code: ClassVar[str]
    status: ClassVar[int]
    title: ClassVar[str]
    retryable: ClassVar[bool] = False
    retry_after_ms: ClassVar[int | None] = None

    def __init__(self, detail: str = "", **facts: Any) -> None:
        super().__init__(detail or self.title)
        self.detail = detail or self.title
        self.facts = {name: value for name, value in facts.items() if value is not None}


class Invalid(LoomError):
    code, status, title = "invalid", 400, "The request is malformed"


class TooLarge(Invalid):
    code, status, title = "too-large", 413, "The request is over a limit"


class KeyReused(Invalid):
    code, status, title = "key-reused", 422, "This Idempotency-Key was used for another request"


class Unauthenticated(Invalid):
    code, status, title = "unauthenticated", 401, "Who are you"


class Forbidden(Invalid):
    code, status, title = "forbidden", 403, "You may not do this"


class Refused(LoomError):
    """A final answer about the state the caller met."""


class NotFound(Refused):
    code, status, title = "not-found", 404, "No such execution"


class ExecutionGone(Refused):
    """The incarnation or chain addressed lives no more."""


class Deleted(ExecutionGone):
    code, status, title = "deleted", 410, "The execution was deleted"


class Gone(ExecutionGone):
    code, status, title = "gone", 410, "Another incarnation or chain lives under this id"


class ForeignCredential(Refused):
    code, status, title = "foreign-credential", 409, "The credential belongs to another execution"


class CredentialRequired(Refused):
    code, status, title = "credential-required", 409, "This execution takes writes of its owner only"


class NotParked(Refused):
    code, status, title = "not-parked", 409, "The execution is not parked there any more"


class NotClaimable(Refused):
    code, status, title = "not-claimable", 409, "The execution cannot be claimed"


class AlreadyExists(Refused):
    code, status, title = "already-exists", 409, "The id is taken"


class SequenceConflict(Refused):
    code, status, title = "sequence-conflict", 409, "The log has moved on"


class OrderViolation(Refused):
    code, status, title = "order-violation", 409, "The position is not greater than the last one"


class IllegalTransition(Refused):
    code, status, title = "illegal-transition", 409, "This event is not legal here"


class ExecutionPinned(Refused):
    code, status, title = "pinned", 409, "Something still needs this execution"


class LimitReached(Refused):
    code, status, title = "limit-reached", 409, "A limit of this execution is reached"


class InboxFull(Refused):
    code, status, title = "inbox-full", 409, "The inbox is full"


class UnchangedMismatch(Refused):
    code, status, title = "unchanged-mismatch", 409, "The execution has changed since it was observed"


class FleetBehind(Refused):
    """A node of the fleet does not know the feature that was to be switched on."""

    code, status, title = "fleet-behind", 409, "A node of the fleet does not know this feature"


class Superseded(LoomError):
    """The credential is dead: stop, somebody else owns the execution."""

    @property
    def current_token(self) -> int | None:
        token = self.facts.get("current_token")
        return None if token is None else int(token)


class Stale(Superseded):
    code, status, title = "stale", 409, "Another owner holds this execution"


class LostHistory(Superseded):
    code, status, title = "lost-history", 409, "The token presented is newer than the store's: history was lost"


class Contended(LoomError):
    """Nothing is decided: the same call may succeed later."""

    retryable = True
    retry_after_ms = 200


class LeaseHeld(Contended):
    code, status, title = "lease-held", 409, "A live lease protects the owner"


class NotYet(Contended):
    code, status, title = "not-yet", 409, "Its time has not come"


class RateLimited(Contended):
    code, status, title = "rate-limited", 429, "Too many requests"


class ResumeContended(Contended):
    code, status, title = "resume-contended", 503, "The park is open, but could not be answered now"


class Busy(Contended):
    code, status, title = "busy", 503, "The store is busy"


class StoreUnavailable(Contended):
    code, status, title = "unavailable", 503, "The store cannot be reached"


def _tree(cls: type[LoomError]) -> Iterator[type[LoomError]]:
    if "code" in cls.__dict__:
        yield cls
    for child in cls.__subclasses__():
        yield from _tree(child)


ERRORS: dict[str, type[LoomError]] = {cls.code: cls for cls in _tree(LoomError)}
"""The one table of codes: every surface, document and client reads it."""


class WorkflowError(Exception):
    """What a workflow body meets."""


class Fatal(WorkflowError):
    """Raised by a step that must not be tried again."""


class EventTimeout(WorkflowError):
    """A `wait_event` whose time-out came first."""


class _Failed(WorkflowError):
    """A failure that travelled as data: type name, message, details, traceback, all bounded; nothing is unpickled."""

    def __init__(self, name: str, type_name: str, message: str, details: Any = None, traceback: str = "") -> None:
        super().__init__(f"{name}: {type_name}: {message}")
        self.name = name
        self.type_name = type_name
        self.message = message
        self.details = details
        self.traceback = traceback


class StepFailed(_Failed):
    """A step gave up; `type_name` and `message` are those of its last exception."""


class ChildFailed(_Failed):
    """A child ended, but did not complete; `type_name` is `failed`, `cancelled` or `removed` or the exception's."""


class ExecutionFailed(_Failed):
    """What was asked for its result did not complete; `type_name` is `cancelled`, `failed` or the exception's."""


class NotReplaySafe(WorkflowError):
    """A body used something whose effect a replay could not repeat."""

    def __init__(self, call: str, instead: str) -> None:
        super().__init__(f"{call} is not replay-safe in a workflow body: use {instead}")
        self.call = call
        self.instead = instead


class NonDeterminism(WorkflowError):
    """Replay met something else than the log says. Blocks the execution, visibly."""

    def __init__(self, expected: str, actual: str, at: str) -> None:
        super().__init__(f"at {at} the log says {expected}, the body did {actual}")
        self.expected = expected
        self.actual = actual
        self.at = at


class OwnershipLost(Exception):
    """The worker's grant is gone: its body was stopped, nothing was raised in it, nothing compensated."""


class Continuation(BaseException):
    """How `ctx.continue_as_new` ends a body: by what the next link begins. A body that swallows it goes on."""

    def __init__(self, input: str, workflow: str | None, version: str | None) -> None:
        super().__init__("the body goes on as new")
        self.input = input
        self.workflow = workflow
        self.version = version


class Detached(BaseException):
    """A `ctx` call made while the body is on its way out: nothing can be recorded any more."""
