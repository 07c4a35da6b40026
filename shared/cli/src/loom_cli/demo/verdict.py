"""Does everything hold that Loom promises? Pure: from records and files to a table of claims, each true or false."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from loom.ids import ExecutionId
from loom.kernel.heads import RefusalRow
from loom_cli.demo.evidence import Record


@dataclass(frozen=True, slots=True)
class Claim:
    """One line of the table: what is claimed, what was found, whether it holds."""

    text: str
    found: str
    holds: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """All that the verdict needs. `paid` are the lines of the side file, `frozen` the owner that was frozen."""

    expected: Sequence[str]
    parent: Record
    children: Sequence[Record]
    paid: Sequence[str]
    acknowledged: Sequence[dict[str, Any]]
    frozen: str
    kills: int


def judge(findings: Findings) -> tuple[Claim, ...]:
    """The claims of the demo, in the order of its table."""
    return (
        _audited(findings),
        _once_by_log(findings),
        _once_by_side_file(findings),
        _took_over(findings),
        _refused(findings),
        _nothing_lost(findings),
    )


def _audited(findings: Findings) -> Claim:
    result = _result(findings.parent)
    damaged = result.get("damaged", [])
    found = f"{result.get('distributions', 0)} ({result.get('files', 0)} files intact; damaged: {damaged or 'none'})"
    return Claim("distributions audited", found, result.get("distributions") == len(findings.expected) and not damaged)


def _result(parent: Record) -> dict[str, Any]:
    ends = [event.payload for event in parent.events if event.kind == "EXECUTION_COMPLETED"]
    result: dict[str, Any] = json.loads(ends[0]) if len(ends) == 1 else {}
    return result


def _once_by_log(findings: Findings) -> Claim:
    outcomes = Counter(
        json.loads(event.payload)["key"] for event in findings.parent.events if event.kind == "CHILD_OUTCOME"
    )
    once = [
        record
        for record in findings.children
        if record.count("EXECUTION_COMPLETED") == 1 and record.count("STEP_COMPLETED") == 1
    ]
    wanted = len(findings.expected)
    holds = len(once) == len(findings.children) == wanted and outcomes == Counter(findings.expected)
    return Claim("children completed exactly once, by their logs", f"{len(once)} of {wanted}", holds)


def _once_by_side_file(findings: Findings) -> Claim:
    paid = Counter(line.split()[0] for line in findings.paid)
    twice = sum(paid.values()) - len(paid)
    found = f"{len(paid)} of {len(findings.expected)}; steps paid twice: {twice}"
    return Claim("children completed, by the side file", found, set(paid) == set(findings.expected))


def _took_over(findings: Findings) -> Claim:
    took = sum(max(0, record.take_overs) for record in (findings.parent, *findings.children))
    return Claim("take-overs", f"{took} ({findings.kills} processes were killed, 1 frozen)", took >= 1)


def _refused(findings: Findings) -> Claim:
    late = list(late_writes(findings))
    shown = [
        f"{row.surface} of {execution_id}: token {row.token.shown} refused, {row.current_token.shown} is current"
        for execution_id, row in late
    ]
    return Claim("late writes of the frozen worker refused", "; ".join(shown) or "none", bool(late))


def late_writes(findings: Findings) -> Iterable[tuple[ExecutionId, RefusalRow]]:
    """The refusals of tokens that the frozen worker once held."""
    for record in (findings.parent, *findings.children):
        held = {grant.token for grant in record.ownership.grants if grant.owner == findings.frozen}
        for row in record.ownership.refusals:
            if row.token in held and row.code == "stale" and row.token < row.current_token:
                yield record.head.execution_id, row


def _nothing_lost(findings: Findings) -> Claim:
    stored = {
        (record.head.execution_id, str(int(record.head.incarnation)), event.seq, event.kind)
        for record in (findings.parent, *findings.children)
        for event in record.events
    }
    lines = [(line["execution_id"], line["incarnation"], line["seq"], line["kind"]) for line in findings.acknowledged]
    lost = [line for line in lines if line not in stored]
    found = f"{len(lines) - len(lost)} of {len(lines)}" + (f"; lost: {lost[:3]}" if lost else "")
    return Claim("acknowledged writes present", found, bool(lines) and not lost)
