"""Waits and their groups, and where the open park is."""

import json
from itertools import permutations, product

import pytest

from kernel.play import Stage, child, event, group, mail, operator, refused, timer
from loom.errors import IllegalTransition, Invalid
from loom.ids import ExecutionId, ExecutionRef, Incarnation, Instant, Namespace, Sequence, Token
from loom.kernel import parks
from loom.kernel.events import Event
from loom.kernel.execution import fold
from loom.kernel.kinds import EventKind
from loom.kernel.parks import (
    Edge,
    Group,
    Timer,
    TimerWait,
    answer_from_children,
    earliest_wake,
    is_group_met,
    locate_park,
    message_wait,
    wait_from,
    why_unsatisfiable,
)
from loom.kernel.raw_json import RawJson, encode

MEMBERS = ("a", "b", "c")
STATUSES = ("open", "completed", "failed", "cancelled", "removed")
POLICIES = ("all", "any", 1, 2, 3)


def edge(key: str, status: str, *, consumed: bool = False, released: bool = False) -> Edge:
    """An edge of no particular parent."""
    at = ExecutionRef(namespace=Namespace("n"), execution_id=ExecutionId(key), incarnation=Incarnation(1))
    return Edge(
        parent=at,
        child_key=key,
        child=at,
        status=status,
        consumed_at_seq=Sequence(9) if consumed else None,
        released=released,
    )


def judge(policy, on_error, statuses) -> bool:
    """Is the group met when its members stand so?"""
    edges = {key: edge(key, status) for key, status in zip(MEMBERS, statuses, strict=True)}
    ended = [key for key in MEMBERS if edges[key].ended]
    return parks.is_group_met(Group(members=MEMBERS, policy=policy, on_error=on_error), edges, ended)


# --- groups: design 2, one test per sentence, over every standing of three members


def check_all_waits_for_every_end() -> None:
    """`all`: every member ended."""
    for statuses in product(STATUSES, repeat=3):
        assert judge("all", "collect", statuses) == ("open" not in statuses), statuses


def check_raise_ends_with_the_first_that_failed() -> None:
    """With `raise` the first that failed; cancelled and removed members are ended, not completed."""
    for statuses in product(STATUSES, repeat=3):
        failed = not {"failed", "cancelled", "removed"}.isdisjoint(statuses)
        assert judge("all", "raise", statuses) == (failed or "open" not in statuses), statuses


def check_n_counts_completed_members_only() -> None:
    """`any`, `n`: so many completed, or too few are left."""
    for policy, statuses in product(("any", 1, 2, 3), product(STATUSES, repeat=3)):
        needed = 1 if policy == "any" else policy
        completed, still_open = statuses.count("completed"), statuses.count("open")
        met = completed >= needed or completed + still_open < needed
        assert judge(policy, "raise", statuses) == judge(policy, "collect", statuses) == met, (policy, statuses)


GROUP_RULES = (
    check_all_waits_for_every_end,
    check_raise_ends_with_the_first_that_failed,
    check_n_counts_completed_members_only,
)


@pytest.mark.parametrize("rule", GROUP_RULES, ids=lambda rule: rule.__name__)
def test_a_group_is_met_as_its_rule_says(rule):
    """I40."""
    rule()


def _with(status: str, counted_as: str):
    def met(group: Group, edges, ended) -> bool:
        seen = {key: edge(key, counted_as) if each.status == status else each for key, each in edges.items()}
        return is_group_met(group, seen, [key for key in seen if seen[key].ended])

    return met


@pytest.mark.parametrize(
    ("mutant", "broken"),
    [
        (_with("cancelled", "completed"), {1, 2}),
        (_with("removed", "open"), {0, 1, 2}),
        (_with("failed", "completed"), {1, 2}),
        (lambda group, edges, ended: len(list(ended)) == len(group.members), {1, 2}),
        (lambda group, edges, ended: any(edges[key].status == "completed" for key in ended), {0, 1, 2}),
    ],
    ids=["cancelled completes", "removed is open", "failed completes", "all for every policy", "any for every policy"],
)
def test_a_wrong_group_rule_is_noticed(monkeypatch, mutant, broken):
    """Negative control of I40: a mutant breaks just the rules that it offends."""
    monkeypatch.setattr(parks, "is_group_met", mutant)

    noticed = set()
    for number, rule in enumerate(GROUP_RULES):
        try:
            rule()
        except AssertionError:
            noticed.add(number)

    assert noticed == broken


# --- answers


def test_the_answer_names_every_ended_child_that_the_log_has_not():
    """I17: the store copies an outcome once; a consumed edge counts as ended and is not named."""
    edges = {"a": edge("a", "completed", consumed=True), "b": edge("b", "failed"), "c": edge("c", "open")}

    answer = answer_from_children(group("a", "b", "c"), edges)

    assert answer is not None
    assert (answer.wait, answer.keys) == ("group", ("b",))


def test_an_open_child_is_no_answer_and_other_waits_have_none():
    """I17: a wait for a child is answered by its end alone."""
    assert answer_from_children(child("a"), {"a": edge("a", "open")}) is None
    assert answer_from_children(child("a"), {}) is None
    assert all(answer_from_children(wait, {}) is None for wait in (timer(), mail(), operator()))


def test_what_is_released_has_ended_all_the_same():
    """Design 2: a park that names a released key takes it up again; child gone: `removed`, which is an end."""
    answer = answer_from_children(child("a"), {"a": edge("a", "removed", released=True)})

    assert answer is not None
    assert answer.keys == ("a",)


# --- the open park

STORY = ("SUSPENDED", "RESUMED", "COMPLETED", "STEP_STARTED", "stamped", "unstamped")


def _event(seq: int, name: str) -> Event:
    known = EventKind.__members__.get(f"EXECUTION_{name}") or EventKind.__members__.get(name)
    payload = '{"waits":[{"id":"t","timer":{"wake_at":5}}],"heard":null}' if name == "SUSPENDED" else "null"
    return Event(
        seq=Sequence(seq),
        kind=known.value if known else "EXECUTION_HIBERNATED",
        payload=RawJson(payload),
        fence=Token(0),
        kernel=known is not None or name == "stamped",
        recorded_at=Instant(0),
    )


def check_park(story: tuple[str, ...]) -> None:
    """The newest answering event decides; the fold agrees."""
    events = [_event(seq, name) for seq, name in enumerate(story, 1)]
    deciding = [(e, name) for e, name in zip(events, story, strict=True) if name not in ("STEP_STARTED", "unstamped")]
    newest, name = deciding[-1] if deciding else (None, None)
    found = parks.locate_park(events)
    assert found == (newest if name == "SUSPENDED" else None), story
    assert fold(events).park_seq == (found.seq if found else None), story
    assert fold(events).unknown_tail == (name == "stamped"), story


def test_the_newest_answering_event_decides_whether_there_is_a_park():
    """I15, 2.3: every story of up to four events, with steps, notes and a newer server's answers among them."""
    for length in range(5):
        for story in product(STORY, repeat=length):
            check_park(story)


@pytest.mark.parametrize(
    "mutant",
    [
        lambda events: next((e for e in reversed(list(events)) if e.kind == "EXECUTION_SUSPENDED"), None),
        lambda events: locate_park(e for e in events if e.kind != "EXECUTION_HIBERNATED"),
        lambda events: locate_park(list(events)[-1:]),
    ],
    ids=["the newest suspended", "unknown kinds passed over", "the last event alone"],
)
def test_a_park_located_otherwise_is_noticed(monkeypatch, mutant):
    """Negative control of I15."""
    monkeypatch.setattr(parks, "locate_park", mutant)

    with pytest.raises(AssertionError):
        test_the_newest_answering_event_decides_whether_there_is_a_park()


def test_a_log_read_in_any_order_has_the_same_park():
    """fenced-run-state 1, A2: the sequence orders, not the reader."""
    events = [_event(seq, name) for seq, name in enumerate(("SUSPENDED", "RESUMED", "SUSPENDED"), 1)]

    assert {locate_park(order).seq for order in permutations(events)} == {3}


# --- waits


@pytest.mark.parametrize(
    "wait",
    [
        TimerWait(id="t", timer=Timer(wake_at=Instant(5))),
        timer(7),
        child("k"),
        group("a", "b", policy=2, on_error="collect", keep=True),
        mail("paid", "k"),
        mail("paid"),
        operator("cannot go on"),
    ],
    ids=lambda wait: type(wait).__name__,
)
def test_a_wait_in_json_is_the_same_wait(wait):
    """I8: heads and SUSPENDED events hold the same waits."""
    assert wait_from(json.loads(encode(wait))) == wait


def test_what_is_no_wait_is_not_read_as_one():
    """A store that met such a row is broken."""
    with pytest.raises(ValueError, match="not a wait"):
        wait_from({"id": "x", "tide": {}})


@pytest.mark.parametrize(
    ("wait", "why"),
    [
        (group(), "needs members"),
        (group("a", "a"), "distinct"),
        (group("a", policy=2), "never complete"),
        (group("a", policy=0), "never complete"),
        (TimerWait(id="t", timer=Timer()), "either"),
        (TimerWait(id="t", timer=Timer(wake_at=Instant(1), delay_ms=1)), "either"),
    ],
)
def test_a_park_that_nobody_can_satisfy_is_refused(wait, why):
    """I40: members are distinct; a policy that cannot be met is refused at the park; nothing is written."""
    played = Stage().owned()
    for key in ("a", "b"):
        played.start_child(key)

    assert why in str(why_unsatisfiable(wait))
    error = refused(Invalid, lambda: played.park(wait))

    assert why in error.detail
    assert "EXECUTION_SUSPENDED" not in played.kinds


@pytest.mark.parametrize("policy", POLICIES)
def test_a_policy_that_can_be_met_is_taken(policy):
    """Negative control of the test above."""
    assert why_unsatisfiable(group(*MEMBERS, policy=policy)) is None


@pytest.mark.parametrize(
    "waits",
    [(), (timer(id="same"), mail(id="same")), (operator(), timer())],
    ids=["none", "the same id twice", "an operator with company"],
)
def test_a_park_without_waits_of_its_own_is_refused(waits):
    """2.3: an operator wait stands alone; an answer names one wait (I18)."""
    played = Stage().owned()

    refused(Invalid, lambda: played.park(*waits))

    assert played.kinds == ["EXECUTION_STARTED"]


def test_a_park_names_children_that_its_execution_has():
    """Design 2: members are distinct edges; what was never started is never awaited."""
    played = Stage().owned()

    refused(IllegalTransition, lambda: played.park(child("never")))


def test_the_earliest_timer_of_a_park_is_its_wake_at():
    """Design 2: `wake_at` on the head, stamped from the store's own clock (I36)."""
    stage = Stage()
    played = stage.owned().park(timer(500, "late"), timer(200, "early"), mail())

    assert played.head.wake_at == stage.clock.now() + 200 == earliest_wake(played.head.waits)
    assert earliest_wake([mail(), operator()]) is None


@pytest.mark.parametrize(
    ("waits_for", "sent", "woken"),
    [
        (("paid", None), ("paid", None), True),
        (("paid", None), ("paid", "k"), True),
        (("paid", "k"), ("paid", "k"), True),
        (("paid", "k"), ("paid", "other"), False),
        (("paid", "k"), ("paid", None), False),
        (("paid", None), ("shipped", None), False),
    ],
)
def test_a_message_wakes_who_waits_for_its_name_and_key_or_any(waits_for, sent, woken):
    """I16: a wait is (name, key or any), for a message sent to the park and for one found there by the park."""
    wait = mail(*waits_for)
    sent_to, found_by = Stage().parked(wait), Stage().owned()

    answer = sent_to.send(sent[0], key=sent[1])
    found_by.send(sent[0], key=sent[1])
    found_by.park(wait)

    assert (message_wait([wait], *sent) is not None) is woken
    assert answer.resumed is woken
    assert ("EXECUTION_RESUMED" in sent_to.kinds) is ("EXECUTION_RESUMED" in found_by.kinds) is woken


def test_a_park_takes_the_oldest_message_of_all_its_waits():
    """I16: a park looks into the inbox and answers itself with the oldest."""
    played = Stage().owned()
    for name in ("none", "second", "first", "second"):
        played.send(name)

    played.park(mail("first", id="f"), mail("second", id="s"))

    consumed = next(each for each in played.log if each.kind == "MESSAGE_CONSUMED").payload.parsed()
    assert (consumed["name"], consumed["wait"]) == ("second", "s")
    assert played.log[-1].payload.parsed() == {"wait": "s", "keys": None, "by": "park"}


def test_the_losers_of_an_answered_group_are_released_unless_kept():
    """Design 2: answering a group releases the edges of its other members unless the park keeps them."""
    for keep in (False, True):
        parent = Stage().owned()
        winner, *_ = [parent.start_child(key) for key in MEMBERS]
        parent.park(group(*MEMBERS, policy="any", keep=keep))
        winner.claim().append(event("EXECUTION_COMPLETED", 1))

        parent.resume("group", "a")

        released = {key for key, each in parent.edges.items() if each.released}
        assert released == (set() if keep else {"b", "c"})
        assert parent.edges["a"].consumed_at_seq == parent.log[-2].seq


def test_a_park_that_names_a_released_child_takes_it_up_again():
    """Design 2: a released edge neither pins nor wakes; a park that names its key takes it up again."""
    parent = Stage().owned()
    loser = parent.start_child("a")
    parent.append("order.placed", release=("a",))
    assert parent.edges["a"].released
    loser.claim().append("EXECUTION_COMPLETED")
    loser.delete()

    parent.park(child("a"))

    assert (parent.edges["a"].released, parent.edges["a"].status) == (False, "removed")
    parent.resume("child", "a")
    assert parent.log[-2].payload.parsed()["status"] == "removed"


def test_a_parker_releases_no_child_that_its_park_waits_for():
    """Design 2: until its lease ends the parker may append ignorable kinds, and nothing else."""
    parent = Stage().owned()
    parent.start_child("a")
    parent.park(child("a"))

    refused(IllegalTransition, lambda: parent.append("order.placed", release=("a",)))

    assert not parent.edges["a"].released
