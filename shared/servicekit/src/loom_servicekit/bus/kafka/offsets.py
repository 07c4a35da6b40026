"""Which records of a partition may be committed: those before which nothing is unfinished."""

from __future__ import annotations

from collections import deque


class Offsets:
    """Of one partition in one assignment. Pure: records are taken in their order and finished in any."""

    def __init__(self) -> None:
        self._taken: deque[int] = deque()
        self._finished: set[int] = set()
        self._next: int | None = None
        self._last = -1
        self.first: int | None = None

    @property
    def unfinished(self) -> int:
        return len(self._taken) - len(self._finished)

    @property
    def next(self) -> int | None:
        """The offset to commit, i.e. of the record to be read next; None before the first record is finished."""
        return self._next

    def is_ahead(self, offset: int) -> bool:
        """Does it come after all that were taken?"""
        return offset > self._last

    def take(self, offset: int) -> None:
        """Gaps between offsets are as the log has them: nothing of ours is missing there."""
        assert self.is_ahead(offset), f"{offset} was taken after {self._last}"
        self._taken.append(offset)
        self._last = offset
        self.first = offset if self.first is None else self.first

    def finish(self, offset: int) -> None:
        """Move over what is finished from the left, no further than the first record that is not."""
        self._finished.add(offset)
        while self._taken and self._taken[0] in self._finished:
            self._finished.discard(self._taken[0])
            self._next = self._taken.popleft() + 1
