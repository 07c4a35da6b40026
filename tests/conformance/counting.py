"""How many cases of the contract each body passed in a run of pytest."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

BODIES = ("memory", "sqlite", "postgres", "postgres-pgbouncer", "http-memory", "http-sqlite", "http-postgres")
_CASE = re.compile(r"conformance/test_(\w+)\.py::test_the_contract_holds")


def count_cases(passed: Iterable[str]) -> Counter[str]:
    """By body, from the ids of the items that passed."""
    found = (_CASE.search(nodeid) for nodeid in passed)
    return Counter(match[1].replace("_", "-") for match in found if match)


def list_short(counts: Counter[str]) -> list[str]:
    """Bodies that ran and passed fewer cases than memory did."""
    return [body for body in BODIES if 0 < counts[body] < counts["memory"]]


def closing_line(counts: Counter[str]) -> str:
    """`cases: memory 879 · sqlite 879 · …`, and who fell short."""
    line = "cases: " + " · ".join(f"{body} {counts[body]}" for body in BODIES if counts[body])
    short = list_short(counts)
    return f"{line}; fewer than memory: {', '.join(short)}" if short else line
