"""When enough of several has come, and what the body gets: the rule of kernel/parks.py over what was told so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

Policy = Literal["all", "any"] | int
OnError = Literal["raise", "collect"]
Arrivals = Sequence[tuple[int, Any | BaseException]]
"""Place among the members, and result or error, in order of coming."""


def check_policy(policy: Policy, on_error: OnError, members: int) -> None:
    """Raises ValueError for a rule that says nothing."""
    if not members:
        raise ValueError("gather needs something to wait for")
    if policy not in ("all", "any") and not (isinstance(policy, int) and 1 <= policy <= members):
        raise ValueError(f"policy is all, any or a number from 1 to {members}, not {policy!r}")
    if on_error not in ("raise", "collect"):
        raise ValueError(f"on_error is raise or collect, not {on_error!r}")


def is_met(policy: Policy, on_error: OnError, arrivals: Arrivals, members: int) -> bool:
    """Has enough completed, or can it not happen any more?"""
    failed = sum(isinstance(came, BaseException) for _, came in arrivals)
    completed, still_open = len(arrivals) - failed, members - len(arrivals)
    if policy == "all":
        return not still_open or (on_error == "raise" and failed > 0)
    needed = 1 if policy == "any" else policy
    return completed >= needed or completed + still_open < needed


def result_of(policy: Policy, on_error: OnError, arrivals: Arrivals) -> Any:
    """What a rule that is met yields; raises the first error if it is to be raised.

    all: one entry for each member, in their order. any: the first result. n: the first n results, as they came. With
    collect the errors stand among the entries, and any and n yield everything that had come.
    """
    if on_error == "collect":
        return [came for _, came in (sorted(arrivals, key=lambda pair: pair[0]) if policy == "all" else arrivals)]
    results = [came for _, came in arrivals if not isinstance(came, BaseException)]
    errors = [came for _, came in arrivals if isinstance(came, BaseException)]
    if policy == "all" and not errors:
        return [came for _, came in sorted(arrivals, key=lambda pair: pair[0])]
    needed = 1 if policy == "any" else policy
    if isinstance(needed, int) and len(results) >= needed:
        return results[0] if policy == "any" else results[:needed]
    raise errors[0]
