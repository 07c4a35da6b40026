from itertools import permutations

from loom_servicekit.bus.kafka.assignments import Assignment
from loom_servicekit.bus.kafka.offsets import Offsets


class Greatest(Offsets):
    """Mutant: commits behind the greatest record that is finished."""

    @property
    def next(self) -> int | None:
        return self._greatest + 1

    _greatest = -1

    def finish(self, offset: int) -> None:
        self._greatest = max(self._greatest, offset)
        super().finish(offset)


def loses_work(cls: type[Offsets], order: tuple[int, ...], taken: tuple[int, ...]) -> bool:
    """Was an offset ever to be committed beyond a record that was not finished?"""
    offsets = cls()
    for offset in taken:
        offsets.take(offset)
    done: set[int] = set()
    for offset in order:
        offsets.finish(offset)
        done.add(offset)
        if offsets.next is not None and any(one < offsets.next for one in set(taken) - done):
            return True
    return False


TAKEN = (3, 4, 7, 8, 20)
"""With gaps, as a log has that was compacted or holds marks of transactions."""


def test_only_what_has_nothing_unfinished_before_it_is_committed() -> None:
    """Kafka 3.3 point 4: in whichever order records are finished."""
    for order in permutations(TAKEN):
        assert not loses_work(Offsets, order, TAKEN)
        offsets = Offsets()
        for offset in TAKEN:
            offsets.take(offset)
        for offset in order:
            offsets.finish(offset)
        assert (offsets.next, offsets.unfinished) == (21, 0)


def test_the_greatest_finished_offset_loses_what_is_below_it() -> None:
    """Negative control for the rule above."""
    assert loses_work(Greatest, (4, 3, 7, 8, 20), TAKEN)


def test_nothing_is_due_before_the_first_record_is_finished() -> None:
    """Kafka 3.3 point 5: a position is not a commit."""
    offsets = Offsets()
    offsets.take(5)
    offsets.take(6)
    offsets.finish(6)

    assert (offsets.next, offsets.unfinished) == (None, 1)


async def test_a_topic_that_begins_anew_is_not_committed_by_what_the_old_one_had() -> None:
    """Kafka 3.3 point 5: deleted and created again, its offsets are others; then only a new assignment helps."""
    assignment = Assignment(("t", 0))
    assignment.take(100)

    assert not assignment.take(0)

    assignment.leave(100, done=True)
    assert assignment.lost
    assert assignment.due is None


async def test_what_was_lost_is_never_due_again() -> None:
    """Kafka 3.3 point 5: a partition regained is another assignment, lest a late commit move it backwards."""
    assignment = Assignment(("t", 0))
    assignment.take(1)
    assignment.take(2)
    assignment.leave(1, done=True)
    assert assignment.due == 2
    assignment.committed(2)
    assert assignment.due is None

    assignment.lose()
    assignment.leave(2, done=True)

    assert assignment.due is None
    assert assignment.ending.is_set()
    await assignment.drained()
