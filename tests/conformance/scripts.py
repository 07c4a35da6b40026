"""Operation scripts as data: each step is a call built from two numbers and from what the oracle answered before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import strategies as st

from loom.ids import ANY, Credential, ExecutionId, ExecutionRef, Namespace, Nonce, Sequence, Token
from loom.kernel import calls as c
from loom.kernel.events import NewEvent
from loom.kernel.heads import Head
from loom.kernel.parks import children_of
from loom.kernel.raw_json import RawJson
from loom_conformance.waits import child, group, message, operator, timer

NAMESPACE = Namespace("scripts")
IDS = tuple(map(ExecutionId, ("a", "b")))
KEYS = ("k1", "k2")
KINDS = ("STEP_STARTED", "STEP_COMPLETED", "EXECUTION_COMPLETED", "EXECUTION_FAILED", "EXECUTION_CANCELLED", "Noted")


@dataclass(frozen=True)
class Step:
    """A call by its name, two numbers that choose its arguments, and the time that passes after it."""

    act: str
    a: int
    b: int
    passes_ms: int


@dataclass
class Knowledge:
    """What a caller can have seen: heads as they are now, and everything that was ever granted."""

    heads: tuple[Head, ...] = ()
    executions: list[ExecutionRef] = field(default_factory=list)
    grants: list[Credential] = field(default_factory=list)
    made: int = 0

    def learn(self, answer: Any) -> None:
        """Remember what the oracle answered."""
        match answer:
            case c.Started(execution=execution) | c.ChildStarted(child=execution):
                self.executions.append(execution)
            case c.Continued(execution=execution):
                self.executions.append(execution)
            case c.Claimed(credential=credential):
                self.grants.append(credential)
            case c.Claims(items=items):
                self.grants += [item.credential for item in items]

    def key(self, n: int) -> str:
        """A new key, now and then one that was used."""
        self.made += 1
        return f"key-{self.made // 2 if n % 7 == 0 else self.made}"

    def nonce(self) -> Nonce:
        """As long as a secret has to be; the script repeats when it is run again."""
        self.made += 1
        return Nonce(f"{self.made:032}")


def _pick(items: Any, n: int) -> Any:
    return items[-1 - n % len(items)]


def _seen(known: Knowledge, n: int) -> dict[str, Any]:
    """An execution that was started; seldom whatever lives there."""
    if not known.executions or n % 9 == 0:
        return {"namespace": NAMESPACE, "execution_id": _pick(IDS, n), "incarnation": ANY}
    ref = _pick(known.executions, n)
    return {"namespace": ref.namespace, "execution_id": ref.execution_id, "incarnation": ref.incarnation}


def _own(known: Knowledge, n: int) -> dict[str, Any]:
    """By a grant, the newest or an older one; at times by nobody's."""
    if not known.grants or n % 5 == 0:
        return _seen(known, n)
    grant = _pick(known.grants, n // 2 % 3)
    return {"namespace": grant.namespace, "execution_id": grant.execution_id, "credential": grant}


def _head(known: Knowledge, place: dict[str, Any]) -> Head | None:
    return next((head for head in known.heads if head.execution_id == place["execution_id"]), None)


def _token(known: Knowledge, place: dict[str, Any], n: int) -> Token:
    head = _head(known, place)
    return head.token if head and n % 6 else Token(0)


def _at_park(known: Knowledge, n: int) -> dict[str, Any]:
    parked = [head for head in known.heads if head.park_seq]
    if not parked:
        return {**_seen(known, n), "park_seq": Sequence(2)}
    head = _pick(parked, n)
    seq = Sequence(head.park_seq - (n % 7 == 0))
    return {
        "namespace": head.namespace,
        "execution_id": head.execution_id,
        "incarnation": head.incarnation,
        "park_seq": seq,
    }


def _chain(known: Knowledge, n: int) -> dict[str, Any]:
    place = _seen(known, n)
    return {"namespace": place["namespace"], "execution_id": place["execution_id"], "chain": place["incarnation"]}


def _event(a: int, b: int) -> NewEvent:
    match a % 9:
        case 0:
            return NewEvent(kind="MESSAGE_CONSUMED", message_id=f"m{b % 4}", wait="w")
        case 1:
            return NewEvent(kind="CHILD_OUTCOME", child_key=_pick(KEYS, b))
        case 2:
            return NewEvent(kind="Noted", position=b % 8, payload=RawJson(r'"\u0000"'))
    return NewEvent(kind=_pick(KINDS, a * b), payload=RawJson(str(b)))


def _waits(a: int, b: int) -> tuple[Any, ...]:
    every = (
        (timer(b % 2_000),),
        (message("mail", key=("x" if b % 3 == 0 else None)),),
        (child(_pick(KEYS, b)),),
        (group(*KEYS, policy="any" if b % 2 else "all", on_error="collect" if b % 4 < 2 else "raise"),),
        (operator(),),
        (timer(100), message("mail")),
    )
    return _pick(every, a)


def _resume(known: Knowledge, a: int, b: int) -> Any:
    place = _at_park(known, a)
    head = _head(known, place)
    wait = _pick((None, *(head.waits if head else ())), b)
    keys = tuple(key for number, key in enumerate(children_of(wait)) if b >> number & 1) if wait else ()
    return c.Resume(**place, wait=wait and wait.id, keys=keys)


def _claim(known: Knowledge, a: int, b: int) -> Any:
    place = _seen(known, a)
    return c.Claim(**place, token=_token(known, place, b), nonce=known.nonce(), owner="w", ttl_ms=500 + b)


def _evict(known: Knowledge, a: int, b: int) -> Any:
    running = [head for head in known.heads if head.owner is not None]
    if not running or a % 5 == 0:
        place = _seen(known, a)
        return c.Evict(**place, token=_token(known, place, b))
    head = _pick(running, a)
    place = {"namespace": head.namespace, "execution_id": head.execution_id, "incarnation": head.incarnation}
    return c.Evict(**place, token=_token(known, place, b))


def _acquire(known: Knowledge, a: int, b: int) -> Any:
    place = _at_park(known, a)
    return c.AcquireIfParked(**place, token=_token(known, place, b), nonce=known.nonce(), owner="e", ttl_ms=500 + b)


def _poll(known: Knowledge, a: int, b: int) -> Any:
    workflows, nonce = ("w@0",), known.nonce()
    return c.ClaimRunnable(
        namespace=NAMESPACE, queue="q", workflows=workflows, max=1 + a % 2, nonce=nonce, owner="w", ttl_ms=200 + 20 * b
    )


def _start(known: Knowledge, a: int, b: int) -> Any:
    return c.Start(
        namespace=NAMESPACE,
        execution_id=_pick(IDS, a),
        batch_id=known.key(b),
        workflow="w",
        queue=None if b % 4 == 0 else "q",
        recreate=b % 3 == 0,
        if_exists="return" if a % 3 == 0 else "raise",
        delay_ms=300 if b % 5 == 0 else None,
    )


def _renewal(known: Knowledge, a: int, b: int, call: Callable[..., Any], **facts: Any) -> Any:
    own = _own(known, a)
    return call(**own, **facts) if "credential" in own else _poll(known, a, b)


def _answer_under_grant(known: Knowledge, a: int, b: int) -> Any:
    return (
        replace(_resume(known, a, b), credential=_pick(known.grants, a % 5 == 0))
        if known.grants
        else _resume(known, a, b)
    )


ACTS: dict[str, Callable[[Knowledge, int, int], Any]] = {
    "start": _start,
    "claim": _claim,
    "poll": _poll,
    "append": lambda k, a, b: c.Append(
        **_own(k, a), batch_id=k.key(b), events=(_event(a, b), _event(b, a))[: 1 + a % 2], release=KEYS[: b % 11 == 0]
    ),
    "park": lambda k, a, b: c.Park(**_own(k, a), batch_id=k.key(b), waits=_waits(a, b)),
    "child": lambda k, a, b: c.StartChild(
        **_own(k, a),
        batch_id=k.key(b),
        child_key=_pick(KEYS, b),
        workflow="w",
        queue="q",
        close=_pick(("abandon", "abandon", "cancel", "terminate"), a),
        scope=_pick(("chain", "run"), a * b),
    ),
    "attach": lambda k, a, b: c.Attach(
        **_own(k, a),
        batch_id=k.key(b),
        child_key=_pick(KEYS, b),
        child_id=_pick([head.execution_id for head in k.heads] or IDS, b),
        chain=ANY,
    ),
    "continue": lambda k, a, b: c.ContinueAsNew(**_own(k, a), batch_id=k.key(b), input=RawJson(str(b))),
    "evict": _evict,
    "renew": lambda k, a, b: _renewal(k, a, b, c.Renew, ttl_ms=240 + b),
    "release": lambda k, a, b: _renewal(k, a, b, c.Release, delay_ms=b if b % 2 else None),
    "resume": _resume,
    "acquire": _acquire,
    "answer": _answer_under_grant,
    "send": lambda k, a, b: c.Send(
        **_chain(k, a),
        message_id=f"m{b % 6}",
        name="mail",
        payload=RawJson(str(b % 2)),
        start=c.StartIfAbsent(workflow="w", queue="q") if b % 5 == 0 else None,
    ),
    "note": lambda k, a, b: c.AppendIfUnchanged(
        **_seen(k, a), kind=_pick(("ANNOTATED", "OUTCOME_RECORDED", "STEP_COMPLETED"), b), batch_id=k.key(b)
    ),
    "cancel": lambda k, a, b: c.Cancel(**_chain(k, a), deadline_ms=b if b % 2 else None, batch_id=k.key(b)),
    "terminate": lambda k, a, b: c.Terminate(**_seen(k, a), batch_id=k.key(b)),
    "fail": lambda k, a, b: c.Fail(**_seen(k, a), batch_id=k.key(b)),
    "delete": lambda k, a, b: c.Delete(**_seen(k, a), archived=b % 5 == 0),
    "pin": lambda k, a, b: c.SetPin(**_seen(k, a), owner="me", reason="why not", ttl_ms=b),
    "archived": lambda k, a, b: c.MarkArchived(**_seen(k, a), seq=Sequence(b % 6)),
}

# What makes progress is drawn more often than what ends it.
_WEIGHTED = [
    "start",
    "claim",
    "poll",
    "poll",
    "append",
    "append",
    "park",
    "park",
    "child",
    "resume",
    "answer",
    "send",
    "continue",
    *ACTS,
]

steps = st.builds(
    Step,
    act=st.sampled_from(_WEIGHTED),
    a=st.integers(0, 60),
    b=st.integers(0, 60),
    passes_ms=st.sampled_from((0, 0, 1, 200, 700)),
)
_OPENINGS = (
    [],
    [Step("start", 1, 1, 0), Step("poll", 0, 10, 0)],
    [Step("start", 1, 1, 0), Step("poll", 0, 40, 0), Step("park", 1, 1, 0)],
    [Step("start", 1, 1, 0), Step("poll", 0, 40, 0), Step("park", 11, 1, 1), Step("acquire", 1, 59, 0)],
    [Step("start", 1, 1, 0), Step("poll", 0, 40, 0), Step("child", 1, 1, 0), Step("park", 3, 1, 0)],
    [Step("start", 1, 1, 0), Step("poll", 0, 40, 0), Step("terminate", 1, 1, 0)],
    [Step("start", 1, 1, 0), Step("poll", 0, 40, 0), Step("child", 1, 1, 0), Step("continue", 1, 1, 0)],
    [Step("start", 1, 1, 0), Step("start", 2, 1, 0), Step("poll", 1, 40, 0), Step("attach", 1, 2, 0)],
)
scripts = st.builds(
    lambda opening, rest: [*opening, *rest], st.sampled_from(_OPENINGS), st.lists(steps, min_size=12, max_size=30)
)
