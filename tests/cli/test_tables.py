from cli.nouns import BEGAN_AT, a_head, an_event
from loom.ids import ExecutionId, ExecutionRef, Incarnation, Instant, Namespace, Sequence
from loom.kernel import parks as p
from loom.kernel.heads import Status
from loom_cli.tables import list_counts, list_edges, list_events, list_heads, tell_head
from loom_cli.waits import tell_wait, why_blocked

BLOCK = p.OperatorWait(
    id="b", operator=p.Operator(reason="NonDeterminism", expected="step a", actual="step b", at="0/a/0")
)


def test_the_list_shows_what_is_shown_and_not_what_is_stored() -> None:
    """Design 1: runnable and blocked are shown: running without an owner, parked on an operator."""
    blocked = a_head(status=Status.PARKED, waits=(BLOCK,), park_seq=Sequence(2))
    owned = a_head(owner="w-1", lease_until=Instant(BEGAN_AT + 1))

    assert [row[1] for row in list_heads([a_head(), blocked, owned]).rows] == ["runnable", "blocked", "running"]


def test_a_token_is_shown_as_epoch_and_counter() -> None:
    """Design 2: a decimal string in JSON, `epoch.counter` to people."""
    assert dict(tell_head(a_head()).pairs)["token"] == "1.3"
    assert list_events([an_event("x", counter=7, after_ms=1_500)], BEGAN_AT).rows == (("1", "+1.5s", "1.7", "x", ""),)


def test_a_head_shows_only_what_applies() -> None:
    """A new execution has no owner, no parent, no deadline, no end; a blocked one says what it waits for."""
    fresh = dict(tell_head(a_head()).pairs)
    ended = dict(tell_head(a_head(status=Status.COMPLETED, ended_at=Instant(BEGAN_AT + 61_000))).pairs)
    child = dict(tell_head(a_head(parent_incarnation=Incarnation(9), parent_key="k", waits=(BLOCK,), queue=None)).pairs)

    assert {"owner", "parent", "deadline", "ended", "waits for", "cancel asked"}.isdisjoint(fresh)
    assert ended["ended"].endswith("after 1m01s")
    assert child["parent"] == "@9 under key k"
    assert "NonDeterminism" in child["waits for"]
    assert child["queue"].startswith("none")


def test_a_nonce_or_its_hash_is_never_shown() -> None:
    """Design 2: the nonce appears in no page; neither does the hash the store keeps."""
    head = a_head(owner="w-1", lease_until=Instant(BEGAN_AT), grant_hash="f00d")

    assert not any("f00d" in fact for _, fact in tell_head(head).pairs)


def test_every_wait_is_told() -> None:
    """Design 2: timer, child, group, message, operator."""
    told = {
        "timer at 2023-11-14 22:13:20.000Z": p.TimerWait(id="w", timer=p.Timer(wake_at=BEGAN_AT)),
        "timer of 1m30s": p.TimerWait(id="w", timer=p.Timer(delay_ms=90_000)),
        "child a": p.ChildWait(id="w", child=p.Child(key="a")),
        "all of 4 children (a, b, c, …)": p.GroupWait(id="w", group=p.Group(members=("a", "b", "c", "d"))),
        "any of 1 children (a)": p.GroupWait(id="w", group=p.Group(members=("a",), policy="any")),
        "2 of 2 children (a, b)": p.GroupWait(id="w", group=p.Group(members=("a", "b"), policy=2)),
        "message paid with key 7": p.MessageWait(id="w", message=p.Message(name="paid", key="7")),
        "operator: NonDeterminism: at 0/a/0 the log says step a, the body did step b": BLOCK,
    }

    assert {tell_wait(wait): wait for wait in told.values()} == told
    assert why_blocked(tuple(told.values())) == "NonDeterminism: at 0/a/0 the log says step a, the body did step b"
    assert why_blocked(()) is None


def test_an_edge_says_where_its_outcome_is() -> None:
    """Design 2: taken into the parent's log, released, or still open."""
    parent = ExecutionRef(namespace=Namespace("shop"), execution_id=ExecutionId("p"), incarnation=Incarnation(1))
    child = ExecutionRef(namespace=Namespace("shop"), execution_id=ExecutionId("p~c1"), incarnation=Incarnation(2))
    edges = [
        p.Edge(parent=parent, child_key="a", child=child),
        p.Edge(parent=parent, child_key="b", child=child, status="failed", consumed_at_seq=Sequence(9)),
        p.Edge(parent=parent, child_key="c", child=child, released=True),
    ]

    assert [row[2] for row in list_edges(edges).rows] == ["open", "failed, taken at event 9", "open, released"]


def test_counts_are_one_row_a_status() -> None:
    """Design 5: counts by status."""
    assert list_counts({"running": 2, "completed": 40}).rows == (("running", "2"), ("completed", "40"))
