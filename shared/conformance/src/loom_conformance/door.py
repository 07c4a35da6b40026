"""The door: bad input gets its typed problem and stores nothing; what is only carried comes back byte for byte.

It speaks HTTP itself, since no client of ours would send what it sends. Each row is an input of `inputs.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import httpx

from loom.client.event_store import HttpEventStore
from loom.clock import ManualClock
from loom.kernel import calls as c
from loom.kernel.limits import Limits
from loom.wire.codec import decode_answer
from loom_conformance.inputs import INPUTS, Doorstep, Input, Knock
from loom_conformance.scene import Execution, Scene
from loom_conformance.subject import Subject

TIMEOUT_S = 30.0
DONE = "-"  # the code of an answer that is no problem


@dataclass(frozen=True, slots=True)
class Row:
    """What became of an input: status and code expected and got, the log's last sequence before and after."""

    input: Input
    expected: tuple[int, str]
    got: tuple[int, str]
    before: int
    after: int

    @property
    def passed(self) -> bool:
        return self.got == self.expected and self.after == self.before + (self.input.stores if self.is_taken else 0)

    @property
    def is_taken(self) -> bool:
        return self.expected[0] < 300

    def __str__(self) -> str:
        expected, got = (f"{status} {code}" for status, code in (self.expected, self.got))
        moved = f"{self.before} = {self.after}" if self.before == self.after else f"{self.before} -> {self.after}"
        return f"{self.input.title} · {expected} · {got} · {moved}{'' if self.passed else '  <-- differs'}"


async def run_door(
    url: str,
    *,
    transport: httpx.AsyncBaseTransport | None = None,
    clock: ManualClock | None = None,
    limits: Limits | None = None,
    tell: Callable[[Row], None] = lambda row: None,
) -> tuple[Row, ...]:
    """Try every input at the store behind `url`; `tell` hears of each row as it is known.

    Inputs that are over a limit go over `limits`, by default those that the store states. A store whose limits are
    higher must take these inputs, and that is what is expected then.
    """
    async with (
        HttpEventStore(url, transport=transport) as store,
        httpx.AsyncClient(base_url=url, transport=transport, timeout=TIMEOUT_S, trust_env=False) as client,
    ):
        stated = (await store.read_store(c.ReadStore())).limits
        rows: list[Row] = []
        for tried in INPUTS:
            scene = Scene(Subject("door", store, clock), f"door.{len(rows)}")
            expected = tried.taken if tried.taken and limits not in (None, stated) else tried.refused
            rows.append(await _try(client, Doorstep(scene, limits or stated), tried, expected))
            tell(rows[-1])
        return tuple(rows)


def closing_line(rows: Iterable[Row]) -> str:
    """`door 60/60`."""
    rows = tuple(rows)
    return f"door {sum(row.passed for row in rows)}/{len(rows)}"


async def _try(client: httpx.AsyncClient, doorstep: Doorstep, tried: Input, expected: tuple[int, str]) -> Row:
    knock = await tried.knock(doorstep)
    before = await _last_seq(client, knock.log)
    answer = await client.request(knock.method, knock.url, content=knock.body, headers=knock.headers)
    code = _code(answer)
    if knock.carried is not None and answer.is_success:
        code = await _came_back(client, knock)
    return Row(tried, expected, (answer.status_code, code), before, await _last_seq(client, knock.log))


def _code(answer: httpx.Response) -> str:
    if answer.is_success:
        return DONE
    try:
        problem = answer.json()
    except ValueError:
        return "no problem"
    complete = {"type", "title", "status", "detail", "instance", "code", "retryable"} <= problem.keys()
    return str(problem["code"]) if complete else "incomplete problem"


async def _last_seq(client: httpx.AsyncClient, log: Execution) -> int:
    return decode_answer(c.Log, (await _read(client, log)).content).last_seq


async def _came_back(client: httpx.AsyncClient, knock: Knock) -> str:
    text = (await _read(client, knock.log)).text
    return "same bytes" if f'"payload":{knock.carried},' in text else "other bytes"


async def _read(client: httpx.AsyncClient, log: Execution) -> httpx.Response:
    url = f"/v1/namespaces/{log.ref.namespace}/executions/{log.ref.execution_id}/events"
    return (await client.get(url)).raise_for_status()
