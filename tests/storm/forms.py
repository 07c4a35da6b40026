"""How long a storm is and what it must reach: the long form of `make storm`, the short one of `make test`."""

from __future__ import annotations

from dataclasses import dataclass

from storm.faults import Lane
from storm.quorum import Quorum

DUTY_S = 16.0
"""A service is frozen for so long: past its duties of sweeping. The event store's relay has one of twice the length."""
RELAY_S = 31.0


@dataclass(frozen=True, slots=True)
class Form:
    """`lease_ms`: of workers, who are frozen for longer. `limit_s`: when it gives up the quorum; `calm_s`: how long
    what is left may take when all faults are over.
    """

    name: str
    lease_ms: int
    length_s: float
    limit_s: float
    calm_s: float
    lanes: tuple[Lane, ...]
    quorum: Quorum


LONG = Form(
    name="long",
    lease_ms=5_000,
    length_s=270,
    limit_s=420,
    calm_s=240,
    lanes=(
        Lane("event-store", 11, 5, RELAY_S),
        Lane("supervisor", 11, 5, DUTY_S),
        Lane("timers", 11, 5, DUTY_S),
        Lane("retention", 11, 5, DUTY_S),
        Lane("worker", 12, 14, 8.0),
        Lane("postgres", 2, 0, 0),
        Lane("kafka", 2, 0, 0),
    ),
    quorum=Quorum(parents=200, kills=10, freezes=5, restarts=2, take_overs=50, refusals=50),
)

SHORT = Form(
    name="short",
    lease_ms=2_000,
    length_s=45,
    limit_s=120,
    calm_s=180,
    lanes=(
        Lane("event-store", 1, 1, RELAY_S),
        Lane("supervisor", 1, 1, DUTY_S),
        Lane("timers", 1, 1, DUTY_S),
        Lane("retention", 1, 1, DUTY_S),
        Lane("worker", 3, 5, 4.0),
    ),
    quorum=Quorum(parents=12, kills=1, freezes=1, restarts=0, take_overs=5, refusals=5),
)

CONTROL = Form(
    name="control",
    lease_ms=2_000,
    length_s=30,
    limit_s=90,
    calm_s=5,
    lanes=(Lane("worker", 1, 4, 3.0),),
    quorum=Quorum(parents=12, kills=0, freezes=0, restarts=0, take_overs=5, refusals=0),
)
"""For a store without a guard: owners that others took over from go on, and that is all it needs."""

FORMS = {form.name: form for form in (LONG, SHORT)}
