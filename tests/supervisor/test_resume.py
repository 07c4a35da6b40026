from typing import Any

import pytest

from loom.ids import Chain, ExecutionId, ExecutionRef, Incarnation, Namespace, Sequence, Token
from loom.kernel.calls import OpenPark
from loom.kernel.heads import Status
from loom.kernel.hints import ChildDone, ExecutionParked, NotifyResume
from loom.kernel.parks import Answer, Child, ChildWait, Edge, EdgeStatus, Group, GroupWait, Timer, TimerWait, Wait
from loom_supervisor.consumer import parent_of
from loom_supervisor.resume import locate_answer

PARENT = ExecutionRef(namespace=Namespace("shop"), execution_id=ExecutionId("p"), incarnation=Incarnation(1))
ON_A = ChildWait(id="on-a", child=Child(key="a"))
ON_ANY = GroupWait(id="any", group=Group(members=("a", "b"), policy="any"))
SLEEP = TimerWait(id="sleep", timer=Timer(delay_ms=5))


def edge(key: str, status: EdgeStatus, **more: Any) -> Edge:
    """To a child that has, or has not, ended."""
    child = ExecutionRef(namespace=Namespace("shop"), execution_id=ExecutionId(key), incarnation=Incarnation(2))
    return Edge(parent=PARENT, child_key=key, child=child, status=status, **more)


def park(*waits: Wait, edges: tuple[Edge, ...] = (), park_seq: int | None = 3) -> OpenPark:
    """As the primary answers it."""
    return OpenPark(
        execution=PARENT,
        chain=Chain(1),
        status=Status.PARKED,
        token=Token(1),
        last_seq=Sequence(3),
        park_seq=None if park_seq is None else Sequence(park_seq),
        unknown_tail=False,
        waits=waits,
        wake_at=None,
        edges=edges,
    )


@pytest.mark.parametrize(
    ("found", "answer"),
    [
        (park(ON_A, edges=(edge("a", "open"),)), None),
        (park(ON_A, edges=(edge("a", "completed"),)), Answer(wait="on-a", keys=("a",))),
        (park(ON_A, edges=(edge("a", "removed"),)), Answer(wait="on-a", keys=("a",))),
        (park(SLEEP), None),
        (park(SLEEP, ON_A, edges=(edge("a", "failed"),)), Answer(wait="on-a", keys=("a",))),
        (park(ON_ANY, edges=(edge("a", "failed"), edge("b", "open"))), None),
        (park(ON_ANY, edges=(edge("a", "failed"), edge("b", "completed"))), Answer(wait="any", keys=("a", "b"))),
        (park(ON_A, edges=(edge("a", "completed"),), park_seq=None), None),
    ],
)
def test_the_first_satisfied_wait_of_the_open_park_is_answered(found: OpenPark, answer: Answer | None) -> None:
    """I17, I40: judged from edges alone; a timer is not the supervisor's, and without a park there is no answer."""
    located = locate_answer(found)

    assert (located and located.answer) == answer


def test_a_hint_points_to_the_parent_it_is_about() -> None:
    """H41: both triggers meet at the parent; parks that wait for no child need no look."""
    named = {"namespace": PARENT.namespace, "execution": PARENT.execution_id, "incarnation": PARENT.incarnation}
    done = ChildDone(
        namespace=PARENT.namespace,
        parent=PARENT.execution_id,
        parent_incarnation=PARENT.incarnation,
        child_key="a",
        child=ExecutionId("a"),
        child_incarnation=Incarnation(2),
        status="completed",
        sequence=Sequence(4),
    )

    assert parent_of(done) == PARENT
    assert parent_of(ExecutionParked(**named, park_seq=Sequence(3), wait_kinds=("group", "timer"))) == PARENT
    assert parent_of(ExecutionParked(**named, park_seq=Sequence(3), wait_kinds=("message", "timer"))) is None
    assert parent_of(NotifyResume(**named, queue="q", workflow="w", reason="r", sequence=Sequence(3))) is None
