"""Random scripts over one memory store, and what must hold after each call (I1, I3, I6 to I9, I16, I17, I19)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from random import Random
from typing import Any

from kernel.play import SHOP, Played, Stage, child, event, group, mail, operator, outcome, run, timer
from loom.errors import LoomError
from loom.ids import Credential, ExecutionId, Namespace, Sequence, Token
from loom.kernel import calls as c
from loom.kernel.events import Event
from loom.kernel.execution import fold, why_drifted
from loom.kernel.heads import ENDED, Head, Status
from loom.kernel.kinds import AUDIT_KINDS, TERMINAL_KINDS, kind_of
from loom.kernel.legality import LEGAL
from loom.kernel.parks import Wait, children_of

Move = tuple[int, int, int]  # which call, and two choices from 0 to 7 within it

IDS = ("a", "b")
KEYS = ("k0", "k1", "k2")
WRITTEN = (
    "order.placed",
    "STEP_STARTED",
    "STEP_COMPLETED",
    "EXECUTION_COMPLETED",
    "EXECUTION_FAILED",
    "EXECUTION_CANCELLED",
    "EXECUTION_RESUMED",
    "ANNOTATED",
)
REPEATABLE = (
    c.Start,
    c.StartChild,
    c.Attach,
    c.ContinueAsNew,
    c.Append,
    c.AppendBatch,
    c.AppendIfUnchanged,
    c.Claim,
    c.Park,
    c.Resume,
    c.AcquireIfParked,
    c.Send,
    c.Cancel,
    c.Terminate,
    c.Fail,
)


class Script:
    """Plays moves; everybody's memory is kept, the stale ones' too. Raises AssertionError when something gave way."""

    def __init__(self) -> None:
        self.stage = Stage(log_events=60, log_reserved=20, cancel_deadline_ms=5_000)
        self.rows = self.stage.store.rows
        self.players: list[Played] = []
        self.grants: list[Credential] = []
        self.seen: Counter[str] = Counter()  # codes met and kinds written
        self._tokens: dict[tuple[Namespace, ExecutionId], Token] = {}
        self._checked: dict[int, Head] = {}
        for queue in ("default", None):
            self._add(self.stage.start(IDS[len(self.players)], queue=queue))

    def play(self, moves: Iterable[Move]) -> Script:
        for which, x, y in moves:
            MOVES[which % len(MOVES)](self, x, y)
            self._check_all()
        return self

    def _add(self, played: Played) -> None:
        if all(known.ref != played.ref for known in self.players):
            self.players.append(played)

    def player(self, x: int) -> Played:
        """Mostly one of the newest."""
        return self.players[-1 - x % min(4, len(self.players))]

    def head(self, played: Played) -> Head:
        """What lives under the player's id; perhaps another incarnation."""
        head = self.rows.head_named(played.ref.namespace, played.ref.execution_id)
        assert head is not None, "heads are kept"
        return head

    def attempt(self, call: Any) -> Any:
        """The answer or the error. A refusal changes nothing, a repeat answers the same and changes nothing (I3)."""
        before = self._rows()
        met = outcome(lambda: self.stage.do(call))
        if isinstance(met, LoomError):
            self.seen[met.code] += 1
            blocked = met.facts.get("state") == "blocked" and isinstance(call, c.Claim)
            assert blocked or self._rows() == before, f"refused as {met.code}, and yet changed: {call}"
        elif isinstance(call, REPEATABLE):
            after = self._rows()
            assert _settled(outcome(lambda: self.stage.do(call))) == _settled(met), f"another answer: {call}"
            assert self._rows() == after, f"a repeat changed something: {call}"
        return met

    def _rows(self) -> Any:
        logs = {head: len(events) for head, events in self.rows.events.items() if events}
        inbox = {head: dict(mails) for head, mails in self.rows.inbox.items() if mails}
        return dict(self.rows.heads), logs, dict(self.rows.edges), inbox, len(self.rows.outbox)

    # --- what must hold ---

    def _check_all(self) -> None:
        for number, head in self.rows.heads.items():
            if self._checked.get(number) is not head:
                self._check(head, self.rows.events[number])
                self._checked[number] = head
        for edge in self.rows.edges.values():
            _check_edge(edge.status, self.rows.head_of(edge.child.incarnation))

    def _check(self, head: Head, log: list[Event]) -> None:
        name = head.namespace, head.execution_id
        assert head.token >= self._tokens.get(name, 0), "I19: the token of an id decreased"
        self._tokens[name] = head.token
        if head.status is Status.DELETED:
            assert not log, "I46: a tombstone has events"
            return
        assert [event.seq for event in log] == list(range(1, head.last_seq + 1)), "I1: a gap"
        assert why_drifted(head, fold(log)) is None, f"I8: {why_drifted(head, fold(log))}"
        self.seen.update({event.kind for event in log})
        check_log(log)
        _check_state(head)
        self._check_mail(head, log)

    def _check_mail(self, head: Head, log: list[Event]) -> None:
        """Of a chain the newest link has the rows, also of what an earlier one consumed within a day."""
        if head.status is Status.CONTINUED:
            return
        consumed = {m.message_id for m in self.rows.inbox[head.head].values() if m.consumed_at_seq}
        told = {e.payload.parsed()["message_id"] for e in log if e.kind == "MESSAGE_CONSUMED"}
        assert consumed == told if head.link == 1 else consumed >= told, "I16: consumed rows are the log's"


def _settled(answer: Any) -> Any:
    """Without what waits for the owner by now."""
    match answer:
        case c.Appended():
            return replace(answer, waiting=c.Waiting())
        case c.BatchAppended():
            return tuple(map(_settled, answer.items))
    return answer


def check_log(log: list[Event]) -> None:
    """What a log alone must show."""
    assert [e.seq for e in log if e.kind == "EXECUTION_STARTED"] == [1], "I5: STARTED is first, and once"
    assert [e.fence for e in log] == sorted(e.fence for e in log), "I19: a fence is below an earlier one"
    answered = [e.answers_park for e in log if e.answers_park is not None]
    assert len(answered) == len(set(answered)), "I9: a park was answered twice"
    assert {e.seq for e in log if e.kind == "EXECUTION_SUSPENDED"} >= set(answered), "I9: an answer to no park"
    assert sum(e.kind == "EXECUTION_RESUMED" for e in log) == len(answered), "I9: a RESUMED that answers no park"
    ends = [e.seq for e in log if e.kind in TERMINAL_KINDS]
    assert len(ends) <= 1, "I6: two ends"
    assert all(e.kind in AUDIT_KINDS for end in ends for e in log[end:]), "I6: more than audit kinds after the end"
    keys = [e.batch_id for e in log if e.batch_id is not None]
    assert len(keys) == len(set(keys)), "I3: a key was written twice"
    _check_once(log)
    _check_legality(log)


def _check_once(log: list[Event]) -> None:
    for kind, member in (("MESSAGE_CONSUMED", "message_id"), ("CHILD_OUTCOME", "key"), ("CHILD_STARTED", "key")):
        named = [e.payload.parsed()[member] for e in log if e.kind == kind]
        assert len(named) == len(set(named)), f"I16, I17: {kind} of one {member} twice"


def _check_legality(log: list[Event]) -> None:
    """I7: each event was legal for somebody in the status that the log before it gives."""
    status = Status.PENDING
    for entry in log[1:]:
        allowed = frozenset[Status]().union(*LEGAL[kind_of(entry.kind)].values())
        known = kind_of(entry.kind) is not None or not entry.kernel
        assert not known or status in allowed, f"I7: {entry.kind} while {status}"
        status = fold(log[: entry.seq]).status


def _check_state(head: Head) -> None:
    known_park = head.status is Status.PARKED and not head.unknown_tail
    assert (head.park_seq is not None) == known_park, "a park_seq if and only if parked with a known tail"
    assert bool(head.waits) == (head.status is Status.PARKED), "waits if and only if parked"
    assert (head.owner is None) or (head.grant_hash is not None), "an owner without a grant"
    if head.status in ENDED:
        assert (head.owner, head.grant_hash, head.lease_until) == (None, None, None), "an end left an owner"


def _check_edge(status: str, child: Head | None) -> None:
    if child is None or child.status is Status.DELETED:
        return
    assert (status == "open") == (child.status not in ENDED), "I41: an edge that does not say how its child stands"


# --- the moves ---


def _start(script: Script, x: int, y: int) -> None:
    given: dict[str, Any] = {"recreate": x % 3 > 0, "if_exists": ("raise", "return")[y % 2]}
    call = c.Start(
        namespace=SHOP,
        execution_id=ExecutionId(IDS[x % 2]),
        batch_id=script.stage.name(),
        workflow="w",
        queue=("default", None)[y % 2],
        **given,
    )
    answer = script.attempt(call)
    if isinstance(answer, c.Started):
        script._add(Played(script.stage, answer.execution, answer.chain))


def _credential(script: Script, played: Played, y: int) -> dict[str, Any]:
    """How the player presents itself: mostly with its own newest grant, else with anybody's, or none."""
    if y % 8 == 7 and script.grants:
        return {"credential": script.grants[y % len(script.grants)]}
    return {"credential": played.credential} if played.credential and y % 8 < 6 else {"incarnation": "*"}


def _start_child(script: Script, x: int, y: int) -> None:
    played = script.player(x)
    given = _credential(script, played, y) | {"child_key": KEYS[y % 3], "batch_id": script.stage.name()}
    answer = script.attempt(c.StartChild(**played.at, **given, workflow="w"))
    if isinstance(answer, c.ChildStarted):
        script._add(Played(script.stage, answer.child, script.rows.head_of(answer.child.incarnation).chain))


def _attach(script: Script, x: int, y: int) -> None:
    """To anything that ever was, itself and ended links too."""
    parent, child = script.player(x), script.players[y % len(script.players)]
    given = _credential(script, parent, y) | {"child_key": KEYS[y % 3], "batch_id": script.stage.name()}
    chain = "*" if x % 2 else child.chain
    script.attempt(c.Attach(**parent.at, **given, child_id=child.ref.execution_id, chain=chain))


def _continue(script: Script, x: int, y: int) -> None:
    """The next link is a player of its own; who played the old one goes on trying."""
    played = script.player(x)
    given = _credential(script, played, y)
    if given == {"incarnation": "*"}:
        given = {"incarnation": played.ref.incarnation}
    answer = script.attempt(c.ContinueAsNew(**played.at, **given, batch_id=script.stage.name()))
    if isinstance(answer, c.Continued):
        script._add(Played(script.stage, answer.execution, answer.chain))


def _evict(script: Script, x: int, y: int) -> None:
    played = script.player(x)
    token = script.head(played).token if y % 4 else Token(0)
    script.attempt(c.Evict(**played.seen, token=token, reason="why not"))


def _finish_child(script: Script, x: int, y: int) -> None:
    """Claim a child and end it."""
    children = [played for played in script.players if played.ref.execution_id not in IDS]
    if children:
        played = children[-1 - x % len(children)]
        _learn(script, played, script.attempt(played.claim_call(token=script.head(played).token)))
        script.attempt(played.append_call(("EXECUTION_COMPLETED", "EXECUTION_FAILED")[y % 2]))


def _claim(script: Script, x: int, y: int) -> None:
    played = script.player(x)
    token = script.head(played).token if y % 4 else Token(script.head(played).token + 1 - y % 3)
    answer = script.attempt(played.claim_call(token=token, ttl_ms=(1_000, 30_000)[y % 2]))
    _learn(script, played, answer)


def _learn(script: Script, played: Played, answer: Any) -> None:
    if isinstance(answer, c.Claimed):
        played.credential = answer.credential
        script.grants.append(answer.credential)


def _claims(script: Script, x: int, y: int) -> None:
    call = c.ClaimRunnable(
        namespace=SHOP, queue="default", workflows=("w@0",), max=1 + x % 3, nonce=script.stage.nonce(), owner="poller"
    )
    for claimed in script.attempt(call).items:
        for played in script.players:
            if played.ref == claimed.credential.execution:
                _learn(script, played, claimed)


def _renew_or_release(script: Script, x: int, y: int) -> None:
    credential = _credential(script, script.player(x), y).get("credential")
    if credential is not None:
        at = script.player(x).at
        call = c.Renew(**at, credential=credential, ttl_ms=1_000) if y % 2 else c.Release(**at, credential=credential)
        script.attempt(call)


def _append(script: Script, x: int, y: int) -> None:
    played = script.player(x)
    written = WRITTEN[(x + y) % (len(WRITTEN) if y > 4 or played.ref.execution_id not in IDS else 3)]
    events = [event(written, position=x + y if y % 5 == 4 else None)]
    if x % 3 == 0:
        events.insert(0, event("order.seen"))
    given = _credential(script, played, y) | {"batch_id": script.stage.name(), "events": tuple(events)}
    script.attempt(c.Append(**played.at, **given))


def _consume(script: Script, x: int, y: int) -> None:
    played = script.player(x)
    waiting = script.rows.waiting(script.head(played).head)
    messages = [event("MESSAGE_CONSUMED", message_id=m.message_id) for m in waiting[: 1 + y % 2]]
    ended = [e.child_key for e in script.rows.edges_of_parent(script.head(played).ref) if e.ended]
    outcomes = [event("CHILD_OUTCOME", child_key=key) for key in (*ended, KEYS[y % 3])[: 1 + x % 2]]
    events = tuple((messages if messages and y % 2 else outcomes) * (2 if (x + y) % 5 == 0 else 1))
    release = (KEYS[(x + y) % 3],) if y % 5 == 0 else ()
    given = _credential(script, played, y) | {"batch_id": script.stage.name(), "events": events, "release": release}
    script.attempt(c.Append(**played.at, **given))


def _batch(script: Script, x: int, y: int) -> None:
    chosen = {p.ref.execution_id: p for p in (script.player(x), script.player(y))}
    items = tuple(
        c.AppendItem(execution_id=id, events=(event(WRITTEN[y % 4]),), **_credential(script, p, x))
        for id, p in chosen.items()
    )
    script.attempt(c.AppendBatch(namespace=SHOP, batch_id=script.stage.name(), items=items))


WAITS: tuple[Callable[[], tuple[Wait, ...]], ...] = (
    lambda: (timer(0),),
    lambda: (timer(2_000), mail("mail", "k")),
    lambda: (child("k0"),),
    lambda: (group("k0", "k1"), timer(60_000)),
    lambda: (group("k0", "k1", "k2", policy="any", on_error="collect"),),
    lambda: (mail(),),
    lambda: (operator(),),
    lambda: (group("k0", policy=2),),
)


def _park(script: Script, x: int, y: int) -> None:
    played = script.player(x)
    heard = script.head(played).cancel_seq if x % 2 else None
    given = {"waits": WAITS[(x + y) % len(WAITS)](), "heard": heard, "batch_id": script.stage.name()}
    script.attempt(c.Park(**played.at, **_credential(script, played, y), **given))


def _resume(script: Script, x: int, y: int) -> None:
    played = script.player(x)
    head = script.head(played)
    wait = head.waits[y % len(head.waits)] if head.waits and y % 6 else None
    edges = (script.rows.edge(head.ref, key) for key in (children_of(wait) if wait else ()))
    keys = tuple(e.child_key for e in edges if e and e.ended and e.consumed_at_seq is None)
    given: dict[str, Any] = {"wait": wait.id if wait else None, "keys": keys, "batch_id": script.stage.name()}
    credential = played.credential if x % 4 == 3 else None
    park_seq = head.park_seq or Sequence(1 + y)
    script.attempt(c.Resume(**played.seen, park_seq=park_seq, credential=credential, **given))


def _acquire(script: Script, x: int, y: int) -> None:
    played = script.player(x)
    head = script.head(played)
    token = head.token if y % 3 else Token(max(0, head.token - 1))
    call = played.acquire_call(park_seq=head.park_seq or Sequence(2), token=token)
    _learn(script, played, script.attempt(call))


def _send(script: Script, x: int, y: int) -> None:
    sender = script.player(y).credential if y % 3 == 0 else None
    script.attempt(script.player(x).send_call("mail", key=("k", None)[y % 2], sender=sender))


def _cancel(script: Script, x: int, y: int) -> None:
    """Rare, as are the other ends: what has ended has little left to do."""
    if y % 4 == 3:
        script.attempt(c.Cancel(**script.player(x).at, chain="*", batch_id=script.stage.name()))


def _end(script: Script, x: int, y: int) -> None:
    if y < 5:
        return
    played = script.player(x)
    given = played.seen | {"batch_id": script.stage.name()}
    head = script.head(played)
    calls = (c.Fail(**given), c.Terminate(**given), c.Terminate(**given, cancel_seq=head.cancel_seq or Sequence(9)))
    script.attempt(calls[y % 3])


def _delete(script: Script, x: int, y: int) -> None:
    script.attempt(c.Delete(**script.player(x).at, incarnation=("*", script.player(y).ref.incarnation)[y % 2]))


def _note(script: Script, x: int, y: int) -> None:
    played = script.player(x)
    given = {"kind": ("ANNOTATED", "OUTCOME_RECORDED", "STEP_COMPLETED")[y % 3], "batch_id": script.stage.name()}
    seen = {"token": script.head(played).token} if x % 2 else {"last_seq": Sequence(y)} if y % 4 == 0 else {}
    script.attempt(c.AppendIfUnchanged(**played.seen, **given, **seen))


def _stamp(script: Script, x: int, y: int) -> None:
    """Rare: an execution with an unknown tail has little left to do."""
    played = script.player(x)
    head = script.head(played)
    if y % 4 == 3 and head.status in (Status.PARKED, Status.RUNNING) and head.incarnation == played.ref.incarnation:
        played.stamp()


def _pass_time(script: Script, x: int, y: int) -> None:
    script.stage.clock.advance((1, 500, 1_000, 40_000)[x % 4])
    if y == 7:
        run(script.stage.store.raise_epoch())


MOVES: tuple[Callable[[Script, int, int], None], ...] = (
    _start,
    _start_child,
    _start_child,
    _attach,
    _attach,
    _continue,
    _continue,
    _evict,
    _finish_child,
    _claim,
    _claim,
    _claim,
    _claims,
    _renew_or_release,
    _append,
    _append,
    _consume,
    _consume,
    _batch,
    _park,
    _park,
    _park,
    _resume,
    _resume,
    _acquire,
    _send,
    _send,
    _cancel,
    _end,
    _delete,
    _note,
    _stamp,
    _pass_time,
    _pass_time,
)


def moves_of(seed: int, length: int = 80) -> list[Move]:
    """The same moves for the same seed."""
    random = Random(seed)
    return [(random.randrange(len(MOVES)), random.randrange(8), random.randrange(8)) for _ in range(length)]
