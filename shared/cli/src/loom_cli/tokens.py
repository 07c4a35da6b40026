"""The timeline of tokens: who held each, since when, by which rule, what it wrote, which late writes were refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from loom.ids import Instant, Sequence, Token
from loom.kernel.calls import Ownership
from loom.kernel.events import Event
from loom.kernel.heads import RefusalRow
from loom.kernel.kinds import EventKind as K
from loom_cli.durations import show_instant
from loom_cli.sheets import Facts, Sheet

_RULES: Mapping[str, str] = {
    K.EXECUTION_STARTED: "start",
    K.EXECUTION_RESUMED: "resume",
    K.CHILD_OUTCOME: "resume",
    K.MESSAGE_CONSUMED: "send",
    K.EXECUTION_CANCELLED: "terminate",
    K.EXECUTION_FAILED: "fail",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenure:
    """One token. `first_seq` None: it wrote nothing."""

    token: Token
    shown: str
    rule: str
    owner: str | None
    at: Instant | None
    first_seq: Sequence | None
    last_seq: Sequence | None
    events: int
    refused: tuple[RefusalRow, ...]


def list_tenures(ownership: Ownership, first_events: Mapping[Sequence, Event]) -> tuple[Tenure, ...]:
    """Every token that was granted, wrote, or was refused, in order.

    A bump that appended an event has no grant row: `first_events`, by sequence, says what it was.
    """
    grants = {grant.token: grant for grant in ownership.grants}
    writes = {write.token: write for write in ownership.writes}
    tokens = sorted({*grants, *writes, *(refusal.token for refusal in ownership.refusals)})
    tenures = []
    for token in tokens:
        grant, write = grants.get(token), writes.get(token)
        first = first_events.get(write.first_seq) if write else None
        tenures.append(
            Tenure(
                token=token,
                shown=token.shown,
                rule=grant.rule if grant else _RULES.get(first.kind, "-") if first else "-",
                owner=grant.owner if grant else None,
                at=grant.at if grant else first.recorded_at if first else None,
                first_seq=write.first_seq if write else None,
                last_seq=write.last_seq if write else None,
                events=write.count if write else 0,
                refused=tuple(row for row in ownership.refusals if row.token == token),
            )
        )
    return tuple(tenures)


def tell_ownership(ownership: Ownership) -> Facts:
    """Who holds it now."""
    owner = f"{ownership.owner} until {show_instant(ownership.lease_until)}" if ownership.owner else "nobody"
    return Facts((("token", ownership.token.shown), ("owner", owner)))


def draw_tenures(tenures: Iterable[Tenure]) -> Sheet:
    """One row a token."""
    rows = tuple(
        (
            tenure.shown,
            show_instant(tenure.at),
            tenure.rule,
            tenure.owner or "-",
            _tell_writes(tenure),
            "; ".join(map(_tell_refusal, tenure.refused)) or "-",
        )
        for tenure in tenures
    )
    return Sheet(("token", "since", "rule", "owner", "wrote", "late writes refused"), rows)


def _tell_writes(tenure: Tenure) -> str:
    if not tenure.events:
        return "nothing"
    return f"{tenure.events} events, {tenure.first_seq} to {tenure.last_seq}"


def _tell_refusal(row: RefusalRow) -> str:
    told = f"{row.surface} {row.count} times: {row.code}, {row.current_token.shown} was current"
    return f"{told}, last {show_instant(row.last_at)}"
