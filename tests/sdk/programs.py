"""Bodies drawn at random, a store that somebody meddles with at one write, and what a log must satisfy afterwards."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from random import Random
from typing import Any

from hypothesis import strategies as st

import loom
from loom.client.executions import Client
from loom.errors import IllegalTransition, Stale
from loom.ids import ExecutionRef
from loom.kernel import calls as c
from loom.kernel.events import Event
from loom.worker.registry import Workflow
from loom.worker.replay import Body
from sdk.virtual import Loom

Op = tuple[Any, ...]

_leaf = st.one_of(
    st.tuples(st.just("step"), st.sampled_from(["a", "b"])),
    st.tuples(st.just("sleep"), st.integers(0, 60)),
    st.tuples(st.just("emit")),
    st.tuples(st.just("child"), st.sampled_from(["a", "b"])),
    st.tuples(st.just("event"), st.sampled_from(["x", "y"])),
    st.tuples(st.just("failing")),
)
_KINDS = ["gather", "group", "wait", "as_completed", "ours"]


def _branches(ops: st.SearchStrategy[Op], least: int) -> st.SearchStrategy[Op]:
    branch = st.lists(ops, min_size=least, max_size=3)
    return st.tuples(st.sampled_from(_KINDS), st.lists(branch, min_size=2, max_size=3))


programs = st.tuples(_branches(st.one_of(_leaf, _leaf, _branches(_leaf, 1)), 2), _leaf).map(list)
"""Branches with equal step names, in asyncio's groups and ours, around steps, sleeps, messages and children."""


class Effects:
    """The world outside: how often each step ran. Durations come from `rng`, one per run."""

    def __init__(self, seed: int) -> None:
        self.ran: Counter[str] = Counter()
        self.rng = Random(seed)

    async def work(self, ctx: loom.Context, tag: str) -> str:
        self.ran[ctx.idempotency_key] += 1
        await asyncio.sleep(self.rng.randrange(40) / 1000)
        if tag.endswith("!"):
            raise ValueError(tag)
        return tag


def make_workflows(program: list[Op], effects: Effects) -> list[Workflow[..., Any]]:
    """The program as a workflow `drawn`, and the child that it starts."""

    @loom.workflow
    async def drawn(ctx: loom.Context) -> Any:
        return await _Interpreter(ctx, effects).run("0", program)

    @loom.workflow
    async def child(ctx: loom.Context, tag: str) -> str:
        return await ctx.step("work", effects.work, ctx, tag)

    return [drawn, child]


class _Interpreter:
    """Runs a program; `order` is what the branches saw of each other, `values` what does not depend on that."""

    def __init__(self, ctx: loom.Context, effects: Effects) -> None:
        self.ctx = ctx
        self.effects = effects
        self.order: list[str] = []

    async def run(self, at: str, program: list[Op]) -> Any:
        try:
            values = await self._sequence(at, program)
        except asyncio.CancelledError:
            self.order.append("cancelled")
            values = [await self.ctx.step("undo", self.effects.work, self.ctx, "undo")]
        return {"values": values, "order": self.order, "chance": self.ctx.random().random(), "now": str(self.ctx.now())}

    async def _sequence(self, at: str, program: list[Op]) -> list[Any]:
        values = []
        for nth, op in enumerate(program):
            values.append(await self._op(f"{at}.{nth}", op))
            self.order.append(f"{at}.{nth}")
        return values

    async def _op(self, at: str, op: Op) -> Any:
        ctx = self.ctx
        match op:
            case ("step", name):
                return await ctx.step(name, self.effects.work, ctx, at)
            case ("failing",):
                try:
                    return await ctx.step("bad", self.effects.work, ctx, f"{at}!")
                except loom.StepFailed as error:
                    return error.message
            case ("sleep", ms):
                return await ctx.sleep(ms / 1000)
            case ("emit",):
                return await ctx.emit("note", at)
            case ("child", name):
                return await ctx.run_child("child", f"{name}{at}")
            case ("event", name):
                return await ctx.wait_event(name, type=str)
            case (kind, branches):
                parts = [self._sequence(f"{at}.{nth}", branch) for nth, branch in enumerate(branches)]
                return await getattr(self, f"_{kind}")(parts)
        raise AssertionError(op)

    async def _gather(self, parts: list[Any]) -> Any:
        return await asyncio.gather(*parts)

    async def _ours(self, parts: list[Any]) -> Any:
        return await self.ctx.gather(*parts)

    async def _group(self, parts: list[Any]) -> Any:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(part) for part in parts]
        return [task.result() for task in tasks]

    async def _wait(self, parts: list[Any]) -> Any:
        tasks = [asyncio.ensure_future(part) for part in parts]
        done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        self.order += [str(tasks.index(task)) for task in done]
        if pending:
            done, _ = await asyncio.wait(pending)
            self.order += [str(tasks.index(task)) for task in done]
        return [task.result() for task in tasks]

    async def _as_completed(self, parts: list[Any]) -> Any:
        tasks = [asyncio.ensure_future(part) for part in parts]
        for ended in asyncio.as_completed(tasks):
            self.order.append(str(await ended))
        return [task.result() for task in tasks]


def count_events(program: list[Op]) -> Counter[str]:
    """How many messages of each name the program waits for."""
    counts: Counter[str] = Counter()
    for op in program:
        if op[0] == "event":
            counts[op[1]] += 1
        elif isinstance(op[-1], list):
            for branch in op[-1]:
                counts += count_events(branch)
    return counts


class MeddledStore:
    """Passes on to a store. Around the write number `at` of `drawn`, counted from 1, something happens.

    fail: it comes to nothing; fail-done: it is done. Either way its caller owns nothing any more: for the log that is
    what a crash is. cancel, annotate: somebody else writes before it.
    """

    WRITES = ("append", "park", "start_child", "send")

    def __init__(self, inner: Any, at: int, act: str) -> None:
        self._inner = inner
        self._at = at
        self._act = act
        self.writes = 0
        self.log_then: list[Event] = []

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._inner, name)
        return self._counted(method) if name in self.WRITES else method

    def _counted(self, method: Any) -> Any:
        async def write(call: Any) -> Any:
            self.writes += call.execution_id == "drawn"
            if call.execution_id != "drawn" or self.writes != self._at:
                return await method(call)
            return await self._meddle(method, call)

        return write

    async def _meddle(self, method: Any, call: Any) -> Any:
        if self._act == "fail":
            self.log_then = list(self._inner.rows.events[1])
            raise Stale("crashed before")
        if self._act == "fail-done":
            await method(call)
            self.log_then = list(self._inner.rows.events[1])
            raise Stale("crashed after")
        if self._act == "cancel":
            await Client(self._inner).cancel("drawn")
        if self._act == "annotate":
            note = c.AppendIfUnchanged(
                namespace=call.namespace, execution_id=call.execution_id, incarnation="*", kind="ANNOTATED"
            )
            await self._inner.append_if_unchanged(note)
        return await method(call)


@dataclass
class Played:
    """A program seen through to its end."""

    execution: ExecutionRef
    result: Any
    store: MeddledStore
    log: list[Event]
    effects: Effects


async def play(program: list[Op], seed: int, *, at: int = 0, act: str = "") -> Played:
    """Start `drawn`, send what it waits for, and see it through to its end, with one meddling."""
    effects, rng = Effects(seed), Random(seed)
    async with Loom() as env:
        store = MeddledStore(env.memory, at, act)
        worker = env.work(*make_workflows(program, effects), store=store, ttl_ms=400)
        execution = await env.client.start("drawn", id="drawn")
        for name, count in sorted(count_events(program).items()):
            for nth in range(count):
                await asyncio.sleep(rng.randrange(60) / 1000)
                with suppress(IllegalTransition):  # it may have been cancelled by now
                    await execution.send(name, f"{name}{nth}")
        outcome = await env.client.outcome("drawn", timeout=60)
        await env.stop(worker)
        head = await env.client.get("drawn")
        return Played(head.ref, outcome.payload, store, list(env.memory.rows.events[1]), effects)


@contextmanager
def replay(program: list[Op], played: Played, log: list[Event]) -> Iterator[Body]:
    """The body at the end of `log`; nothing runs outside it."""
    body = Body(make_workflows(program, Effects(0))[0], played.execution)
    try:
        for event in log:
            body.give(event)
        yield body
    finally:
        body.loop.detach()


def completed_steps(log: list[Event]) -> set[str]:
    """The sequences in the keys of the steps whose completion a log holds."""
    told = [(event, event.payload.parsed()) for event in log if event.kind.startswith("STEP_")]
    seqs = {form["command"]: event.seq for event, form in told if event.kind == "STEP_STARTED"}
    return {
        str(seqs[form["command"]]) for event, form in told if event.kind == "STEP_COMPLETED" and form["type"] == "step"
    }
