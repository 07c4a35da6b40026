"""What knocks at the door: bad input, worded by hand where no client of ours could word it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace

from loom.ids import Credential, Nonce, Token
from loom.kernel.limits import Limits
from loom.kernel.raw_json import encode
from loom_conformance.scene import Execution, Scene, mint, mint_nonce
from loom_conformance.waits import child

JSON = {"Content-Type": "application/json"}
FILLERS = 16  # how many senders fill an inbox side by side
DEEP = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Knock:
    """A request, the log that it would write, and the payload that must come back from there, if any."""

    log: Execution
    method: str = "POST"
    url: str
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=lambda: JSON)
    carried: str | None = None


@dataclass(frozen=True, slots=True)
class Input:
    """`refused`: status and code. `taken`: those of a store whose limit lies higher, if it is a limit that refuses.

    `stores`: how many events are in the log once it is taken.
    """

    title: str
    refused: tuple[int, str]
    knock: Callable[[Doorstep], Awaitable[Knock]]
    taken: tuple[int, str] | None = None
    stores: int = 1


INPUTS: list[Input] = []

Worded = Callable[["Doorstep"], Awaitable[Knock]]


def refused(
    title: str, status: int, code: str, *, taken: tuple[int, str] | None = None, stores: int = 1
) -> Callable[[Worded], Worded]:
    """Register an input by what it gets."""

    def register(knock: Worded) -> Worded:
        INPUTS.append(Input(title, (status, code), knock, taken, stores))
        return knock

    return register


def carried(title: str, payload: str) -> None:
    """Register a payload that is stored and comes back byte for byte."""

    async def knock(at: Doorstep) -> Knock:
        execution = await at.scene.owned()
        return replace(at.append(execution, f'[{{"kind":"CARRIED","payload":{payload}}}]'), carried=payload)

    INPUTS.append(Input(title, (201, "same bytes"), knock))


class Doorstep:
    """Where inputs are worded: executions of their own, and the limits to go over."""

    def __init__(self, scene: Scene, limits: Limits) -> None:
        self.scene = scene
        self.limits = limits

    def url(self, execution: Execution, call: str = "") -> str:
        return f"/v1/namespaces/{execution.ref.namespace}/executions/{execution.ref.execution_id}{call}"

    def post(self, execution: Execution, call: str, body: str | bytes) -> Knock:
        """Any call on an execution, its body as worded."""
        headers = JSON | {"Idempotency-Key": mint()}
        worded = body if isinstance(body, bytes) else body.encode("utf-8", "surrogatepass")
        return Knock(log=execution, url=self.url(execution, call), body=worded, headers=headers)

    def append(
        self, execution: Execution, events: str, *, credential: Credential | None = None, more: str = ""
    ) -> Knock:
        """An append by the owner, its events as worded."""
        shown = encode(credential or execution.held)
        return self.post(execution, "/events", f'{{"credential":{shown},"events":{events}{more}}}')

    def start(self, execution: Execution, more: str = "", *, execution_id: str | None = None) -> Knock:
        """A start under an id as worded."""
        worded = execution_id if execution_id is not None else f'"{execution.ref.execution_id}"'
        body = f'{{"execution_id":{worded},"workflow":"conformance","queue":"{self.scene.queue}"{more}}}'
        return replace(self.post(execution, "", body), url=f"/v1/namespaces/{execution.ref.namespace}/executions")

    def send(self, execution: Execution, name: str = '"mail"', more: str = "") -> Knock:
        """A message, its name as worded."""
        body = f'{{"chain":"{execution.chain.chain}","message_id":"{mint()}","name":{name}{more}}}'
        return self.post(execution, "/messages", body)

    def park(self, execution: Execution, waits: str) -> Knock:
        """A park by the owner, its waits as worded."""
        return self.post(execution, "/park", f'{{"credential":{encode(execution.held)},"waits":{waits}}}')

    async def claim(self, ttl_ms: int, nonce: str | None = None) -> Knock:
        """A claim of a runnable execution."""
        execution = await self.scene.start()
        seen = f'"incarnation":"{execution.ref.incarnation}","token":"0","owner":"door","ttl_ms":{ttl_ms}'
        return self.post(execution, "/claim", f'{{{seen},"nonce":"{nonce or mint_nonce()}"}}')


# --- the envelope -----------------------------------------------------------------------------------------------------


def envelope(title: str, events: str, *, more: str = "") -> None:
    """Register an append whose envelope is wrong."""

    @refused(title, 400, "invalid")
    async def _(at: Doorstep) -> Knock:
        return at.append(await at.scene.owned(), events, more=more)


envelope("an unknown member of the call", '[{"kind":"A"}]', more=',"colour":"red"')
envelope("an unknown member of an event", '[{"kind":"A","colour":"red"}]')
envelope("a kind that is a number", '[{"kind":1}]')
envelope("a kind that is null", '[{"kind":null}]')
envelope("events that are an object", '{"kind":"A"}')
envelope("an event that is a string", '["A"]')
envelope("no events at all", "[]")
envelope("a position that is a fraction", '[{"kind":"A","position":1.5}]')
envelope("a position that is a string", '[{"kind":"A","position":"1"}]')
envelope("a position of 400 digits", '[{"kind":"A","position":' + "9" * 400 + "}]")
envelope("an expected sequence that is true", '[{"kind":"A"}]', more=',"expected_seq":true')
envelope("a doubled member of the call", '[{"kind":"A"}]', more=',"release":[],"release":[]')
envelope("a doubled member of an event", '[{"kind":"A","kind":"B"}]')
envelope("a doubled member, once escaped", '[{"kind":"A","\\u006bind":"B"}]')
envelope("a doubled payload", '[{"kind":"A","payload":1,"payload":2}]')
envelope("a NUL in a kind", '[{"kind":"A\\u0000"}]')
envelope("a lone surrogate in a kind", '[{"kind":"A\\ud800"}]')
envelope("a kind of 256 characters", '[{"kind":"' + "A" * 256 + '"}]')
envelope("an empty kind", '[{"kind":""}]')
envelope("NaN in a payload", '[{"kind":"A","payload":NaN}]')
envelope("a control character in a payload", '[{"kind":"A","payload":"\x01"}]')
envelope("a payload that ends early", '[{"kind":"A","payload":[1,}]')
envelope("reserved metadata: kernel", '[{"kind":"A","kernel":true}]')
envelope("reserved metadata: fence", '[{"kind":"A","fence":"4294967297"}]')
envelope("reserved metadata: actor", '[{"kind":"A","actor":"root"}]')
envelope("a member that stands in the path", '[{"kind":"A"}]', more=',"execution_id":"another"')


@refused("a body that is no object", 400, "invalid")
async def _array(at: Doorstep) -> Knock:
    return at.post(await at.scene.owned(), "/events", "[]")


@refused("a body that is empty", 400, "invalid")
async def _empty(at: Doorstep) -> Knock:
    return at.post(await at.scene.owned(), "/events", "")


@refused("a body that is not UTF-8", 400, "invalid")
async def _not_utf8(at: Doorstep) -> Knock:
    return at.post(await at.scene.owned(), "/events", b'{"events":[{"kind":"\xff"}]}')


@refused("a body that ends early", 400, "invalid")
async def _early(at: Doorstep) -> Knock:
    return at.post(await at.scene.owned(), "/events", '{"events":[')


@refused("a body that does not say it is JSON", 400, "invalid")
async def _untyped(at: Doorstep) -> Knock:
    knock = at.append(await at.scene.owned(), '[{"kind":"A"}]')
    return replace(knock, headers={**knock.headers, "Content-Type": "text/plain"})


@refused("an append without its key", 400, "invalid")
async def _unkeyed(at: Doorstep) -> Knock:
    return replace(at.append(await at.scene.owned(), '[{"kind":"A"}]'), headers=JSON)


@refused("a key used again for another append", 422, "key-reused")
async def _reused(at: Doorstep) -> Knock:
    execution = await at.scene.owned()
    await execution.append("A", batch_id="used")
    knock = at.append(execution, '[{"kind":"B"}]')
    return replace(knock, headers={**knock.headers, "Idempotency-Key": "used"})


@refused("an unknown member of the query", 400, "invalid")
async def _query(at: Doorstep) -> Knock:
    execution = await at.scene.owned()
    return Knock(log=execution, method="GET", url=at.url(execution, "/events?from=1"))


@refused("a number in the query that is none", 400, "invalid")
async def _query_number(at: Doorstep) -> Knock:
    execution = await at.scene.owned()
    return Knock(log=execution, method="GET", url=at.url(execution, "/events?from_seq=one"))


@refused("a resource that does not exist", 404, "not-found")
async def _nowhere(at: Doorstep) -> Knock:
    return at.post(await at.scene.owned(), "/evnets", "{}")


@refused("a method that is not offered", 405, "invalid")
async def _method(at: Doorstep) -> Knock:
    execution = await at.scene.owned()
    return Knock(log=execution, method="PATCH", url=at.url(execution))


# --- limits -----------------------------------------------------------------------------------------------------------

TAKEN = (201, "-")


@refused("a body over the limit", 413, "too-large", taken=TAKEN)
async def _long(at: Doorstep) -> Knock:
    padding = " " * (at.limits.append_bytes + (4 << 20))
    return at.append(await at.scene.owned(), '[{"kind":"A"}]' + padding)


@refused("an event over the limit", 413, "too-large", taken=TAKEN)
async def _long_event(at: Doorstep) -> Knock:
    return at.append(await at.scene.owned(), f'[{{"kind":"A","payload":"{"x" * at.limits.event_bytes}"}}]')


@refused("more events than one append takes", 413, "too-large", taken=TAKEN, stores=101)
async def _many(at: Doorstep) -> Knock:
    return at.append(await at.scene.owned(), "[" + ",".join(['{"kind":"A"}'] * (at.limits.append_events + 1)) + "]")


@refused("events that are too long together", 413, "too-large", taken=TAKEN, stores=3)
async def _long_together(at: Doorstep) -> Knock:
    each = f'{{"kind":"A","payload":"{"x" * (at.limits.append_bytes // 3 + 1)}"}}'
    return at.append(await at.scene.owned(), f"[{each},{each},{each}]")


@refused("a result over the limit", 413, "too-large", taken=TAKEN)
async def _long_result(at: Doorstep) -> Knock:
    result = "x" * at.limits.result_bytes
    return at.append(await at.scene.owned(), f'[{{"kind":"EXECUTION_COMPLETED","payload":"{result}"}}]')


@refused("a payload that nests 10,000 deep", 413, "too-large", taken=TAKEN)
async def _deep(at: Doorstep) -> Knock:
    return at.append(await at.scene.owned(), f'[{{"kind":"A","payload":{"[" * DEEP}{"]" * DEEP}}}]')


@refused("an envelope that nests 10,000 deep, which no call needs", 413, "too-large")
async def _deep_envelope(at: Doorstep) -> Knock:
    return at.append(await at.scene.owned(), f'[{{"kind":"A"}},{"[" * DEEP}')


@refused("a lease shorter than any", 400, "invalid", taken=(200, "-"), stores=0)
async def _short_lease(at: Doorstep) -> Knock:
    return await at.claim(at.limits.lease_min_ms - 1)


@refused("a lease longer than any", 400, "invalid", taken=(200, "-"), stores=0)
async def _long_lease(at: Doorstep) -> Knock:
    return await at.claim(at.limits.lease_max_ms + 1)


@refused("a delay over 100 years", 400, "invalid", taken=TAKEN)
async def _long_delay(at: Doorstep) -> Knock:
    return at.start(at.scene.unknown(), f',"delay_ms":{at.limits.duration_max_ms + 1}')


@refused("a delay below zero", 400, "invalid")
async def _negative_delay(at: Doorstep) -> Knock:
    return at.start(at.scene.unknown(), ',"delay_ms":-1')


# --- ids and names ----------------------------------------------------------------------------------------------------


def bad_id(title: str, worded: str) -> None:
    """Register a start under an id that is none."""

    @refused(title, 400, "invalid")
    async def _(at: Doorstep) -> Knock:
        return at.start(at.scene.unknown(), execution_id=worded)


bad_id("a NUL in an id", '"a\\u0000b"')
bad_id("a lone surrogate in an id", '"a\\udfffb"')
bad_id("a slash in an id", '"a/b"')
bad_id("a tilde in an id, which is for derived ones", '"a~b"')
bad_id("an id of 201 characters", '"' + "a" * 201 + '"')
bad_id("an id that is two dots", '".."')
bad_id("an id that is empty", '""')
bad_id("an id that is a number", "17")


@refused("a NUL in an id in the path", 400, "invalid")
async def _nul_in_path(at: Doorstep) -> Knock:
    execution = await at.scene.owned()
    return Knock(log=execution, method="GET", url=f"/v1/namespaces/{execution.ref.namespace}/executions/a%00b")


@refused("bytes in the path that are not UTF-8", 400, "invalid")
async def _bytes_in_path(at: Doorstep) -> Knock:
    execution = await at.scene.owned()
    return Knock(log=execution, method="GET", url=f"/v1/namespaces/{execution.ref.namespace}/executions/a%FFb")


@refused("a NUL in a message's name", 400, "invalid")
async def _nul_in_name(at: Doorstep) -> Knock:
    return at.send(await at.scene.owned(), '"a\\u0000"')


@refused("a lone surrogate in a message's name", 400, "invalid")
async def _surrogate_in_name(at: Doorstep) -> Knock:
    return at.send(await at.scene.owned(), '"\\ud800"')


@refused("a lone surrogate in a message's key", 400, "invalid")
async def _surrogate_in_key(at: Doorstep) -> Knock:
    return at.send(await at.scene.owned(), more=',"key":"\\ud800"')


@refused("a nonce that can be guessed", 400, "invalid")
async def _short_nonce(at: Doorstep) -> Knock:
    return await at.claim(60_000, nonce="n" * 21)


# --- credentials ------------------------------------------------------------------------------------------------------


@refused("no credential where one is required", 409, "credential-required")
async def _no_credential(at: Doorstep) -> Knock:
    execution = await at.scene.owned()
    seen = f'"incarnation":"{execution.ref.incarnation}"'
    return at.post(execution, "/events", f'{{{seen},"events":[{{"kind":"A"}}]}}')


@refused("the credential of another execution", 409, "foreign-credential")
async def _foreign(at: Doorstep) -> Knock:
    other = await at.scene.owned()
    return at.append(await at.scene.owned(), '[{"kind":"A"}]', credential=other.held)


@refused("a credential of another incarnation", 409, "stale")
async def _other_incarnation(at: Doorstep) -> Knock:
    other, execution = await at.scene.owned(), await at.scene.owned()
    credential = replace(execution.held, incarnation=other.ref.incarnation)
    return at.append(execution, '[{"kind":"A"}]', credential=credential)


@refused("a credential that was superseded", 409, "stale")
async def _superseded(at: Doorstep) -> Knock:
    execution = await at.scene.owned()
    old = execution.held
    await execution.release()
    await execution.claim()
    return at.append(execution, '[{"kind":"A"}]', credential=old)


@refused("a credential that was given back", 409, "stale")
async def _released(at: Doorstep) -> Knock:
    execution = await at.scene.owned()
    await execution.release()
    return at.append(execution, '[{"kind":"A"}]')


@refused("a credential whose lease ran out", 409, "stale")
async def _expired(at: Doorstep) -> Knock:
    execution = await at.scene.owned(at.limits.lease_min_ms)
    await at.scene.pass_time(at.limits.lease_min_ms + 1)
    return at.append(execution, '[{"kind":"A"}]')


@refused("a credential with a forged nonce", 409, "stale")
async def _forged(at: Doorstep) -> Knock:
    execution = await at.scene.owned()
    return at.append(execution, '[{"kind":"A"}]', credential=replace(execution.held, nonce=Nonce(mint_nonce())))


@refused("a credential with a token of the future", 409, "lost-history")
async def _future(at: Doorstep) -> Knock:
    execution = await at.scene.owned()
    return at.append(execution, '[{"kind":"A"}]', credential=replace(execution.held, token=Token(2**63 - 1)))


@refused("a token that is a number, which JavaScript would round", 400, "invalid")
async def _numeric_token(at: Doorstep) -> Knock:
    execution = await at.scene.owned()
    held = encode(execution.held).replace(f'"{int(execution.held.token)}"', str(int(execution.held.token)))
    return at.post(execution, "/events", f'{{"credential":{held},"events":[{{"kind":"A"}}]}}')


@refused("a stale credential with stale numbers too", 409, "stale")
async def _stale_twice(at: Doorstep) -> Knock:
    execution = await at.scene.owned()
    await execution.release()
    return at.append(execution, '[{"kind":"A","position":0}]', more=',"expected_seq":0')


# --- what is not legal ------------------------------------------------------------------------------------------------


def illegal(title: str, events: str, code: str = "illegal-transition", status: int = 409) -> None:
    """Register an append of what append does not take."""

    @refused(title, status, code)
    async def _(at: Doorstep) -> Knock:
        return at.append(await at.scene.owned(), events)


illegal("a park worded as an append", '[{"kind":"EXECUTION_SUSPENDED"}]')
illegal("an answer worded as an append", '[{"kind":"EXECUTION_RESUMED"}]')
illegal("a second EXECUTION_STARTED", '[{"kind":"EXECUTION_STARTED"}]')
illegal("an audit kind worded as an append", '[{"kind":"ANNOTATED"}]')
illegal("a cancelled end that nobody requested", '[{"kind":"EXECUTION_CANCELLED"}]')
illegal("an event after the terminal one", '[{"kind":"EXECUTION_COMPLETED"},{"kind":"A"}]')
illegal(
    "a forged child outcome",
    '[{"kind":"CHILD_OUTCOME","child_key":"k","payload":{"status":"completed"}}]',
    "invalid",
    400,
)
illegal("an outcome of a child that is none", '[{"kind":"CHILD_OUTCOME","child_key":"k"}]')
illegal("a message consumed that never came", '[{"kind":"MESSAGE_CONSUMED","message_id":"m"}]')
illegal("positions out of order", '[{"kind":"A","position":2},{"kind":"A","position":2}]', "order-violation")


@refused("a sequence that is not the last", 409, "sequence-conflict")
async def _conflict(at: Doorstep) -> Knock:
    return at.append(await at.scene.owned(), '[{"kind":"A"}]', more=',"expected_seq":7')


@refused("an outcome of a child that has not ended", 409, "illegal-transition")
async def _early_outcome(at: Doorstep) -> Knock:
    execution = await at.scene.owned()
    await execution.start_child("k")
    return at.append(execution, '[{"kind":"CHILD_OUTCOME","child_key":"k"}]')


@refused("a resume that names a child which has not ended", 409, "illegal-transition")
async def _early_resume(at: Doorstep) -> Knock:
    execution = await at.scene.owned()
    await execution.start_child("k")
    await execution.park(child("k"))
    seen = f'"incarnation":"{execution.ref.incarnation}","park_seq":{execution.park_seq}'
    return at.post(execution, "/resume", f'{{{seen},"wait":"k","keys":["k"]}}')


@refused("a resume that brings an outcome along", 400, "invalid")
async def _forged_resume(at: Doorstep) -> Knock:
    execution = await at.scene.parked()
    seen = f'"incarnation":"{execution.ref.incarnation}","park_seq":{execution.park_seq}'
    return at.post(execution, "/resume", f'{{{seen},"wait":"timer","outcome":"mine"}}')


@refused("an audit call with a kind that is none of audit", 409, "illegal-transition")
async def _audit(at: Doorstep) -> Knock:
    execution = await at.scene.owned()
    seen = f'"incarnation":"{execution.ref.incarnation}"'
    return at.post(execution, "/append-if-unchanged", f'{{{seen},"kind":"STEP_COMPLETED"}}')


@refused("a message to an execution that has ended", 409, "illegal-transition")
async def _to_ended(at: Doorstep) -> Knock:
    return at.send(await at.scene.ended())


@refused("a message to an execution that never was", 404, "not-found")
async def _to_nobody(at: Doorstep) -> Knock:
    return at.send(at.scene.unknown())


@refused("a message to another chain of this id", 410, "gone")
async def _to_another_chain(at: Doorstep) -> Knock:
    execution, other = await at.scene.owned(), await at.scene.owned()
    execution.chain = other.chain
    return at.send(execution)


# --- parks ------------------------------------------------------------------------------------------------------------


def unsatisfiable(title: str, waits: str, code: str = "invalid", status: int = 400) -> None:
    """Register a park that nothing outside could ever answer."""

    @refused(title, status, code)
    async def _(at: Doorstep) -> Knock:
        execution = await at.scene.owned()
        return at.park(execution, waits.replace("OWN-ID", execution.ref.execution_id))


unsatisfiable("a park on itself", '[{"id":"w","child":{"key":"OWN-ID"}}]', "illegal-transition", 409)
unsatisfiable("a park on a child that is none", '[{"id":"w","child":{"key":"k"}}]', "illegal-transition", 409)
unsatisfiable("a park on nothing", "[]")
unsatisfiable("a park on a group without members", '[{"id":"w","group":{"members":[]}}]')
unsatisfiable("a park on three of two", '[{"id":"w","group":{"members":["a","b"],"policy":3}}]')
unsatisfiable("a park on one member twice", '[{"id":"w","group":{"members":["a","a"]}}]')
unsatisfiable("a park on a timer without an end", '[{"id":"w","timer":{}}]')
unsatisfiable(
    "a park on two waits of one name", '[{"id":"w","timer":{"delay_ms":1}},{"id":"w","timer":{"delay_ms":2}}]'
)
unsatisfiable("a park on a wait of no kind", '[{"id":"w"}]')
unsatisfiable("a park on a wait of two kinds", '[{"id":"w","timer":{"delay_ms":1},"message":{"name":"m"}}]')
unsatisfiable(
    "a park on an operator and more", '[{"id":"a","operator":{"reason":"r"}},{"id":"b","timer":{"delay_ms":1}}]'
)


# --- starts -----------------------------------------------------------------------------------------------------------


@refused("a second start", 409, "already-exists")
async def _second(at: Doorstep) -> Knock:
    return at.start(await at.scene.owned())


@refused("a second start, if_exists raise", 409, "already-exists")
async def _second_raise(at: Doorstep) -> Knock:
    return at.start(await at.scene.owned(), ',"if_exists":"raise"')


@refused("a second start, if_exists return", 201, "-", stores=0)
async def _second_return(at: Doorstep) -> Knock:
    return at.start(await at.scene.owned(), ',"if_exists":"return"')


@refused("a second start, if_exists something else", 400, "invalid")
async def _second_other(at: Doorstep) -> Knock:
    return at.start(await at.scene.owned(), ',"if_exists":"replace"')


@refused("a start on a tombstone", 410, "deleted")
async def _tombstone(at: Doorstep) -> Knock:
    return at.start(await at.scene.deleted())


@refused("a start whose input is called payload", 400, "invalid")
async def _named_input(at: Doorstep) -> Knock:
    return at.start(at.scene.unknown(), ',"payload":1')


# --- what is carried --------------------------------------------------------------------------------------------------

carried("a payload with an escaped NUL", '"a\\u0000b"')
carried("a payload with a lone surrogate", '["\\ud800","\\udfff"]')
carried("a payload with a number of 400 digits", "9" * 400)
carried("a payload with a number beyond floats", "[1e400,-0.0,1E+2]")
carried("a payload with keys in odd order, and spaces", '{"b" : 1,"a":2 , "B":\t3}')
carried("a payload with a doubled key", '{"a":1,"a":2}')
carried("a payload with members that Loom knows", '{"kernel":true,"payload":{"payload":[]},"fence":"1"}')
carried("a payload in letters beyond ASCII", '"\u00fc\U0001f9f5\u2028"')
carried("a payload that nests 256 deep", "[" * 256 + "]" * 256)


@refused("a kind that Loom does not know, which is an application's", 201, "-")
async def _unknown_kind(at: Doorstep) -> Knock:
    return at.append(await at.scene.owned(), '[{"kind":"EXECUTION_TELEPORTED"}]')


# --- last, since it takes as many messages as the inbox holds ---------------------------------------------------------


@refused("a message to an inbox that is full", 409, "inbox-full", taken=TAKEN, stores=0)
async def _full_inbox(at: Doorstep) -> Knock:
    execution = await at.scene.owned()
    waiting = iter(range(at.limits.inbox_waiting))

    async def fill() -> None:
        for _ in waiting:
            await execution.send()

    await asyncio.gather(*(fill() for _ in range(FILLERS)))
    return at.send(execution)
