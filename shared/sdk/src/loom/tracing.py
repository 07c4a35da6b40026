"""Every span of Loom, written by hand: names of few values, attributes without payloads, and what becomes of errors.

Only the API of OpenTelemetry is used. Without an SDK nothing is recorded, and every context manager is next to free.
A span is made by an act. Health, polls, renewals, duties, heartbeats, and reads that belong to no act make none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import Token as Reset
from typing import Any, Final

from opentelemetry import context, trace
from opentelemetry.context import Context
from opentelemetry.trace import Link, NonRecordingSpan, Span, SpanContext, SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from opentelemetry.trace.span import TraceState

from loom.errors import Contended, LoomError, OwnershipLost, StoreUnavailable, Superseded
from loom.ids import ExecutionRef, Instant, Token
from loom.kernel.hints import ChildDone, Envelope, ExecutionParked, Hint, NotifyResume

NAMESPACE: Final = "loom.namespace"
EXECUTION: Final = "loom.execution.id"
INCARNATION: Final = "loom.incarnation"
PARENT: Final = "loom.parent.id"
CHILD: Final = "loom.child.id"
PARK: Final = "loom.park.seq"
EXPECTED: Final = "loom.token.expected"
ACTUAL: Final = "loom.token.actual"
TOKEN: Final = "loom.token"
ATTEMPT: Final = "loom.attempt"
ANSWER: Final = "loom.answer.kind"  # live, swept, redriven
OUTCOME: Final = "loom.outcome"
WORKFLOW: Final = "loom.workflow"
STEP: Final = "loom.step"
ABOUT: Final = "loom.sweep.about"
DELAY: Final = "loom.outbox.delay_ms"
COUNT: Final = "loom.count"
LINK: Final = "loom.link"  # of a link: park, cause, segment, caller

CONTINUE_MS = 60_000
"""How old what began an act may be for the act to be of its trace. A later act begins a trace that links to it."""

OURS: Final = "loom"
"""The entry of `tracestate` which says that the sampled flag was decided by a sampler of Loom."""

_W3C = TraceContextTextMapPropagator()
_DECIDED = TraceState([(OURS, "1")])
_TRACER = trace.get_tracer("loom")
_NONE: Sequence[tuple[str, str | None]] = ()
_threshold_ms = CONTINUE_MS


# Contexts, as rows, messages and headers hold them.


def current() -> str | None:
    """The ambient span as a W3C `traceparent`, 55 characters; None outside every span. No `tracestate`."""
    carrier: dict[str, str] = {}
    _W3C.inject(carrier)
    return carrier.get("traceparent")


def is_on() -> bool:
    """Has this process an SDK, so that spans are more than calls that do nothing?"""
    return not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)


def set_threshold(continue_ms: int) -> None:
    """Another one than CONTINUE_MS, for this process; said where its exporter is configured."""
    global _threshold_ms
    _threshold_ms = continue_ms


def threshold_ms() -> int:
    """What this process goes by."""
    return _threshold_ms


def trace_of(traceparent: str) -> str:
    """The id of its trace, 32 hexadecimal digits."""
    return traceparent[3:35]


def _stored(traceparent: str | None) -> SpanContext | None:
    """A context of a row: whoever wrote it there has sampled it."""
    if traceparent is None:
        return None
    found = trace.get_current_span(_W3C.extract({"traceparent": traceparent}, Context())).get_span_context()
    if not found.is_valid:
        return None
    return SpanContext(found.trace_id, found.span_id, True, found.trace_flags, _DECIDED)


def _beneath(parent: str | None) -> Context:
    """The context in which a span has this parent; with None, or with what is no context, it is a root."""
    found = _stored(parent)
    return Context() if found is None else trace.set_span_in_context(NonRecordingSpan(found), Context())


def _links(links: Iterable[tuple[str, str | None]]) -> list[Link]:
    """By what the link is to: its context, where there is one and its trace is recorded: else it would lead nowhere."""
    found = ((name, _stored(traceparent)) for name, traceparent in links)
    return [Link(there, {LINK: name}) for name, there in found if there is not None and there.trace_flags.sampled]


# Attributes.


def of(execution: ExecutionRef) -> dict[str, Any]:
    """The attributes that name an execution."""
    return {
        NAMESPACE: execution.namespace,
        EXECUTION: execution.execution_id,
        INCARNATION: str(int(execution.incarnation)),
    }


def _of_hint(hint: Hint) -> dict[str, Any]:
    told: dict[str, Any] = {NAMESPACE: hint.namespace}
    match hint:
        case ChildDone():
            told |= {PARENT: hint.parent, INCARNATION: str(int(hint.parent_incarnation)), CHILD: hint.child}
        case ExecutionParked():
            told |= {EXECUTION: hint.execution, INCARNATION: str(int(hint.incarnation)), PARK: hint.park_seq}
        case NotifyResume():
            told |= {EXECUTION: hint.execution, INCARNATION: str(int(hint.incarnation))}
    return told


def tell(**attributes: Any) -> None:
    """Add to the ambient span what was learned: `outcome="won"` is `loom.outcome`, `park_seq` is `loom.park.seq`."""
    trace.get_current_span().set_attributes(
        {f"loom.{name.replace('_', '.')}": value for name, value in attributes.items() if value is not None}
    )


def tell_call(call: Any) -> None:
    """Add to the ambient span which incarnation and which park a call of the port is about."""
    span = trace.get_current_span()
    if span.is_recording():
        credential = getattr(call, "credential", None)
        incarnation = getattr(call if credential is None else credential, "incarnation", None)
        park_seq = getattr(call, "park_seq", None)
        tell(incarnation=None if incarnation is None else str(incarnation), park_seq=park_seq)


# How acts end.


def tell_refusal(error: LoomError, expected: Token | None = None) -> None:
    """What the ambient span was refused. Stale and contended are normal ends: an event, and no status (rule 6).

    `expected`: the token that was presented; with it, the event of a stale one says both tokens.
    """
    _end_refused(trace.get_current_span(), error, expected)


def _end_refused(span: Span, error: LoomError, expected: Token | None = None) -> None:
    if not span.is_recording():
        return
    span.set_attribute(OUTCOME, error.code)
    if isinstance(error, StoreUnavailable):
        span.set_status(Status(StatusCode.ERROR, error.code))
    elif isinstance(error, Superseded) and expected is not None:
        span.add_event(error.code, _tokens(expected, error.current_token))
    elif isinstance(error, Contended):
        span.add_event("contended", {"loom.code": error.code})


def _tokens(expected: int | None, actual: int | None) -> dict[str, str]:
    told = {EXPECTED: expected, ACTUAL: actual}
    return {name: Token(token).shown for name, token in told.items() if token is not None}


@contextmanager
def _span(
    name: str,
    attributes: Mapping[str, Any],
    *,
    kind: SpanKind = SpanKind.INTERNAL,
    within: Context | None = None,
    links: Iterable[tuple[str, str | None]] = _NONE,
) -> Iterator[Span]:
    """A span, ambient inside. `within` None: beneath the ambient one.

    A LoomError is an outcome; another exception is a fault, of which nothing but the type's name is told: its message
    may quote a payload.
    """
    if not is_on():
        yield trace.INVALID_SPAN
        return
    span = _TRACER.start_span(name, within, kind, attributes, _links(links))
    try:
        with trace.use_span(span, record_exception=False, set_status_on_exception=False):
            yield span
    except LoomError as error:
        _end_refused(span, error)
        raise
    except Exception as error:
        _end_failed(span, error)
        raise
    finally:
        span.end()


def _end_failed(span: Span, error: BaseException) -> None:
    span.set_attribute("error.type", type(error).__name__)
    span.set_status(Status(StatusCode.ERROR, type(error).__name__))


# HTTP.


def _is_silent(method: str, path: str, held: bool = False) -> bool:
    """Held polls, renewals, duties, heartbeats, health, documentation. A path is a template or what was requested."""
    if held or path.startswith(("/healthz", "/v1/duties/", "/v1/fleet/", "/docs", "/openapi")):
        return True
    return method == "POST" and path.endswith(("/claims", "/renew"))


@contextmanager
def client_request(method: str, template: str, *, held: bool = False) -> Iterator[dict[str, str]]:
    """The span of a request; yields the headers that carry its context. A read outside every span makes none."""
    if not is_on() or _is_silent(method, template, held) or (method == "GET" and current() is None):
        yield {}
        return
    attributes = {"http.request.method": method, "url.template": template}
    with _span(f"{method} {template}", attributes, kind=SpanKind.CLIENT):
        headers: dict[str, str] = {}
        _W3C.inject(headers)
        yield headers


@contextmanager
def server_request(method: str, path: str, headers: Mapping[str, str]) -> Iterator[Span | None]:
    """The span of a request received, to be named by `tell_response`; None where none is made.

    The caller's context is a hint. Its trace is gone on with, unless it is a stranger's which is not recorded: then its
    root would never be seen, and a trace begins here that links to it. Whether it is recorded the sampler decides.
    """
    if not is_on() or _is_silent(method, path):
        yield None
        return
    within = _W3C.extract(headers, Context())
    caller = trace.get_current_span(within).get_span_context()
    goes_on = caller.trace_flags.sampled or OURS in caller.trace_state
    if method == "GET" and not goes_on:
        yield None
        return
    links = [] if goes_on or not caller.is_valid else [Link(caller, {LINK: "caller"})]
    attributes = {"http.request.method": method}
    span = _TRACER.start_span(method, within if goes_on else Context(), SpanKind.SERVER, attributes, links)
    try:
        with trace.use_span(span, record_exception=False, set_status_on_exception=False):
            yield span
    except Exception as error:
        _end_failed(span, error)
        raise
    finally:
        span.end()


def tell_response(span: Span, method: str, template: str, status: int, named: Mapping[str, Any]) -> None:
    """Name the span of a request by the template of its path, once it is known, and say what was answered."""
    span.update_name(f"{method} {template}")
    span.set_attributes({"http.route": template, "http.response.status_code": status})
    if "execution_id" in named:
        span.set_attributes({NAMESPACE: named["namespace"], EXECUTION: named["execution_id"]})
    if status == 500:
        span.set_status(Status(StatusCode.ERROR))


# The bus.


@contextmanager
def process(envelope: Envelope, *, group: str, now: Instant, place: Mapping[str, str | int]) -> Iterator[Span]:
    """The handling of one hint, in its trace while it is young, else in a new one that links there (kafka 5.2).

    `place`: what the bus knows of the message, by the names of the messaging conventions.
    """
    topic, told = envelope.hint.TOPIC, envelope.traceparent
    young = now - envelope.created_at <= _threshold_ms
    attributes = {
        "messaging.operation.name": "process",
        "messaging.operation.type": "process",
        "messaging.destination.name": topic,
        "messaging.consumer.group.name": group,
        **{f"messaging.{name}": value for name, value in place.items()},
        **_of_hint(envelope.hint),
    }
    within = _beneath(told if young else None)
    links = _NONE if young else [("cause", told)]
    with _span(f"process {topic}", attributes, kind=SpanKind.CONSUMER, within=within, links=links) as span:
        yield span


class Sends:
    """The spans of hints that are being published, each in the trace of its row and a sibling of its handling.

    A row without a context has none, so a poll that finds nothing makes nothing.
    """

    def __init__(self, envelopes: Sequence[Envelope], now: Instant) -> None:
        self._spans = [_begin_send(envelope, now) for envelope in envelopes] if is_on() else []

    def end(self, outcomes: Iterable[str]) -> None:
        """What became of each."""
        for span, outcome in zip(self._spans, outcomes, strict=False):
            if span is not None:
                span.set_attribute(OUTCOME, outcome)
                span.end()


def _begin_send(envelope: Envelope, now: Instant) -> Span | None:
    if envelope.traceparent is None:
        return None
    topic = envelope.hint.TOPIC
    attributes = {
        "messaging.operation.name": "send",
        "messaging.operation.type": "send",
        "messaging.destination.name": topic,
        DELAY: max(0, now - envelope.created_at),
        **_of_hint(envelope.hint),
    }
    return _TRACER.start_span(f"send {topic}", _beneath(envelope.traceparent), SpanKind.CLIENT, attributes)


# Services.


@contextmanager
def resume(execution: ExecutionRef, park_seq: int) -> Iterator[Span]:
    """Somebody answers a park. How they came to it says the span above: a hint's, a sweep's, a re-drive's."""
    with _span("resume", {**of(execution), PARK: park_seq}) as span:
        yield span
        span.set_attribute(OUTCOME, "won")


@contextmanager
def timer_fire(execution: ExecutionRef, park_seq: int, parked: str | None, *, age_ms: int) -> Iterator[Span]:
    """A due wake, in the trace of its park if its row is young."""
    with _late("timer fire", {**of(execution), PARK: park_seq}, parked, age_ms) as span:
        yield span


@contextmanager
def redrive_attempt(
    execution: ExecutionRef, park_seq: int, parked: str | None, *, attempt: int, age_ms: int
) -> Iterator[Span]:
    """A later try at a wake-up, in the trace of its row if that is young."""
    attributes = {**of(execution), PARK: park_seq, ATTEMPT: attempt, ANSWER: "redriven"}
    with _late("redrive attempt", attributes, parked, age_ms) as span:
        yield span


@contextmanager
def _late(name: str, attributes: Mapping[str, Any], parked: str | None, age_ms: int) -> Iterator[Span]:
    young = age_ms <= _threshold_ms
    links = _NONE if young else [("park", parked)]
    with _span(name, attributes, within=_beneath(parked if young else None), links=links) as span:
        yield span


@contextmanager
def sweep(execution: ExecutionRef, about: str) -> Iterator[Span]:
    """What only a sweep found is remedied: a trace of its own. Rounds that find nothing make no span."""
    with _span("sweep", {**of(execution), ABOUT: about, ANSWER: "swept"}, within=Context()) as span:
        yield span


@contextmanager
def retention_sweep(candidates: int) -> Iterator[Span]:
    """One page of what may go."""
    with _span("retention sweep", {COUNT: candidates}, within=Context()) as span:
        yield span


# Workers.


class Segment:
    """One activation of a body as a span: from its claim to the next park or end, and ambient in between.

    It begins when the log has been read, since the log says whose trace it is of, and takes its beginning from the
    claim. A segment that fills its trace is gone on with in another one (`renew`).
    """

    def __init__(self, execution: ExecutionRef, workflow: str, token: Token) -> None:
        self._name = f"run {workflow}"
        self._attributes = {**of(execution), WORKFLOW: workflow, TOKEN: token.shown}
        self._token = token
        self._span: Span = trace.INVALID_SPAN
        self._reset: Reset[Context] | None = None

    def begin(
        self, parent: str | None, links: Iterable[tuple[str, str | None]], *, claimed_ns: int, replayed: int
    ) -> None:
        """Make it ambient in this task; the claim and the replay are its first span."""
        self._open(_beneath(parent), links, claimed_ns)
        claim = _TRACER.start_span("claim", None, SpanKind.INTERNAL, {COUNT: replayed}, start_time=claimed_ns)
        claim.end()

    def renew(self) -> None:
        """End it here and go on in a new trace that links back."""
        before = current()
        self.end("continued")
        self._open(Context(), [("segment", before)], None)

    def end(self, outcome: str, loss: OwnershipLost | None = None) -> None:
        """`outcome`: how the run ended; `loss`: both tokens, where the store told."""
        if self._reset is None:
            return
        self._span.set_attribute(OUTCOME, outcome)
        if outcome == "set-aside":
            self._span.set_status(Status(StatusCode.ERROR))
        cause = None if loss is None else loss.__cause__
        if isinstance(cause, Superseded):
            self._span.add_event(cause.code, _tokens(self._token, cause.current_token))
        context.detach(self._reset)
        self._reset = None
        self._span.end()

    def _open(self, within: Context, links: Iterable[tuple[str, str | None]], began_ns: int | None) -> None:
        self._span = _TRACER.start_span(
            self._name, within, SpanKind.INTERNAL, self._attributes, _links(links), start_time=began_ns
        )
        self._reset = context.attach(trace.set_span_in_context(self._span))


@contextmanager
def step(name: str, command: str, attempt: int) -> Iterator[Span]:
    """One attempt at a step; what the step does itself is beneath it."""
    with _span(f"step {name}", {STEP: command, ATTEMPT: attempt}) as span:
        yield span


@contextmanager
def park(execution: ExecutionRef) -> Iterator[Span]:
    """The worker's last act in a segment that does not end the execution."""
    with _span("park", of(execution)) as span:
        yield span
