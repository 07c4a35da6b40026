"""When a step that failed is tried again."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from loom.errors import Fatal

_DOUBLINGS_MAX = 64  # beyond it every factor is over the cap


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """Try up to `max_attempts` times in all; pauses begin at `initial` seconds, grow by `factor`, end at `cap` seconds.

    With `jitter` a pause is drawn between 0 and that. Exceptions of `give_up_on`, and loom.Fatal, are not tried again.
    """

    max_attempts: int = 5
    initial: float = 0.2
    factor: float = 2.0
    cap: float = 30.0
    jitter: bool = True
    give_up_on: tuple[type[BaseException], ...] = field(default=())

    def __post_init__(self) -> None:
        if self.max_attempts < 1 or self.initial < 0 or self.factor < 1 or self.cap < self.initial:
            raise ValueError(f"not a retry policy: {self}")

    def is_over(self, attempt: int, error: BaseException) -> bool:
        """Is attempt number `attempt` (from 1), which failed with `error`, the last one?"""
        return attempt >= self.max_attempts or isinstance(error, (Fatal, *self.give_up_on))

    def pause_ms(self, attempt: int, rng: Random) -> int:
        """How long to wait after attempt number `attempt`."""
        ceiling_s = min(self.cap, self.initial * self.factor ** min(attempt - 1, _DOUBLINGS_MAX))
        return round(1000 * (rng.uniform(0, ceiling_s) if self.jitter else ceiling_s))


NO_RETRY = Retry(max_attempts=1)
