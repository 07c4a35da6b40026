"""Bodies that go on as new, adopt what others started, and start receivers with their first message."""
# ruff: noqa: D103 - workflows and steps are named by what they do

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import loom
from loom.errors import Continuation, Deleted, Gone, NotFound
from loom.kernel import calls as c
from loom.kernel.kinds import EventKind
from loom.worker import run as runs
from loom.worker.commands import Commands
from loom.worker.replay import Body
from loom.worker.run import Run
from sdk.virtual import Loom, run_virtually


async def nap(seconds: float) -> float:
    await asyncio.sleep(seconds)
    return seconds


async def note(*words: Any) -> str:
    return " ".join(map(str, words))


@loom.workflow
async def echo(ctx: loom.Context, word: str, seconds: float = 0) -> str:
    await ctx.step("nap", nap, seconds)
    if word.endswith("!"):
        raise ValueError(word)
    return word


def play(workflow: Any, *args: Any, scene: Any = None, others: tuple[Any, ...] = ()) -> Any:
    """The result, or the error instead; meanwhile `scene(env)` runs, and what it answers comes too."""

    async def whole():
        async with Loom() as env:
            env.work(workflow, echo, *others, ttl_ms=600)
            await env.client.start(workflow, *args, id="w")
            told = await scene(env) if scene else None
            try:
                result = await env.client.result("w", timeout=100)
            except loom.ExecutionFailed as failed:
                result = failed
            return (result, told) if scene else result

    return run_virtually(whole)


async def links_of(env: Loom, execution_id: str = "w") -> list[Any]:
    """The heads of a chain, the ended ones first."""
    newest = await env.client.get(execution_id)
    heads = [head async for head in env.client.list(id_prefix=execution_id) if head.chain == newest.chain]
    return sorted(heads, key=lambda head: head.link)


# --- continue as new --------------------------------------------------------------------------------------------------


@loom.workflow
async def countdown(ctx: loom.Context, left: int, total: int = 0) -> int:
    total += await ctx.step("nap", nap, 1)
    if left:
        ctx.continue_as_new(left - 1, total)
    return total


def test_a_body_goes_on_as_new_and_whoever_waits_gets_the_last_links_result():
    """Design 6, I58: an empty log for each link, one id, one chain; `result` means the chain."""

    async def whole():
        async with Loom() as env:
            env.work(countdown)
            execution = await env.client.start(countdown, 3, id="w")
            result = await execution.result(timeout=60)
            links = await links_of(env)
            return result, [(head.link, head.status.value) for head in links], await env.kinds("w")

    result, links, kinds = run_virtually(whole)

    assert result == 4
    assert links == [(1, "continued"), (2, "continued"), (3, "continued"), (4, "completed")]
    assert kinds == ["STARTED", "STEP_STARTED", "STEP_COMPLETED", "COMPLETED"]


def test_an_ended_link_has_no_result_and_another_chain_is_gone():
    """I58: the ended link says what it is; a chain is compared by its number."""

    async def scene(env: Loom) -> Any:
        execution = await env.client.start(countdown, 1, id="x")
        await execution.result(timeout=60)
        first = (await links_of(env, "x"))[0]
        with pytest.raises(loom.ExecutionFailed) as ended:
            await env.client.result(first.execution_id, timeout=5)
        with pytest.raises(Gone):
            await env.client.result("x", timeout=5, chain=first.chain + 1)
        return ended.value.type_name

    assert play(countdown, 0, scene=scene) == (1, "continued")


def test_a_body_goes_on_as_another_version():
    """Design 6: long-running bodies take a new version where their log is empty."""

    @loom.workflow(name="old")
    async def old(ctx: loom.Context) -> str:
        ctx.continue_as_new("from old", workflow=new)

    @loom.workflow(name="old", version="2")
    async def new(ctx: loom.Context, word: str) -> str:
        return word

    assert play(old, others=(new,)) == "from old"


def test_the_body_may_clean_up_on_its_way():
    """Design 6: the way out by continuation is the body's own: steps run in `finally`, branches are cancelled."""
    ended: list[str] = []

    @loom.workflow
    async def tidy(ctx: loom.Context, again: bool = True) -> str:
        async def branch() -> None:
            try:
                await ctx.sleep(10_000)
            finally:
                ended.append("branch")

        asyncio.create_task(branch())  # noqa: RUF006 - it is left open on purpose
        await ctx.step("note", note, "begun")
        try:
            if again:
                ctx.continue_as_new(False)
        finally:
            await ctx.step("note", note, "tidied")
        return "done"

    async def scene(env: Loom) -> Any:
        await env.client.result("w", timeout=60)
        first = (await links_of(env))[0]
        return await env.kinds(first.execution_id)

    result, kinds = play(tidy, scene=scene)

    assert result == "done"
    assert (kinds.count("STEP_COMPLETED"), kinds[-1]) == (2, "CONTINUED")
    assert ended[:1] == ["branch"]


def test_it_is_called_where_the_body_ends():
    """Design 6: in the first task; elsewhere it would end a branch and no body. A group around it changes nothing."""

    @loom.workflow
    async def misplaced(ctx: loom.Context, again: bool = True) -> str:
        async def branch() -> None:
            ctx.continue_as_new(False)

        try:
            await asyncio.create_task(branch() if again else asyncio.sleep(0))
        except RuntimeError as error:
            return str(error)
        return "continued"

    @loom.workflow
    async def grouped(ctx: loom.Context, again: bool = True) -> str:
        async with asyncio.TaskGroup() as group:
            group.create_task(asyncio.sleep(0))
            if again:
                ctx.continue_as_new(False)
        return "done"

    assert "first task" in play(misplaced)
    assert play(grouped) == "done"


def test_a_body_that_swallows_it_goes_on():
    """Like SystemExit: whoever catches BaseException has caught it."""

    @loom.workflow
    async def swallowing(ctx: loom.Context) -> str:
        try:
            ctx.continue_as_new()
        except BaseException as caught:
            return type(caught).__name__

    assert play(swallowing) == Continuation.__name__


def test_an_input_that_is_too_large_fails_the_execution():
    """Design 9: as a result that is too large does; it is not tried for ever."""

    @loom.workflow
    async def fat(ctx: loom.Context, word: str = "") -> str:
        ctx.continue_as_new("x" * 1_100_000)

    assert play(fat).type_name == "TooLarge"


def test_mail_that_was_not_read_goes_along():
    """I58: whoever sends to the id notices nothing."""

    @loom.workflow
    async def collector(ctx: loom.Context, got: list[int]) -> list[int]:
        got = [*got, await ctx.wait_event("number", type=int)]
        if len(got) < 3:
            ctx.continue_as_new(got)
        return got

    async def scene(env: Loom) -> None:
        for number in range(3):
            await env.client.send("w", "number", number, id=f"m{number}")

    assert play(collector, [], scene=scene)[0] == [0, 1, 2]


def test_a_cancel_meets_the_next_link_at_its_first_await():
    """I57: carried in STARTED: the body begins, meets CancelledError where it first waits, and may undo."""
    met: list[str] = []

    @loom.workflow
    async def stubborn(ctx: loom.Context, link: int = 1) -> str:
        met.append(f"begun {link}")
        try:
            await ctx.sleep(1_000)
        except asyncio.CancelledError:
            met.append(f"asked {link}")
            if link == 1:
                ctx.continue_as_new(2)
            await ctx.step("note", note, "undone")
            raise
        return "slept"

    async def scene(env: Loom) -> Any:
        await env.until("w", "parked")
        await env.client.cancel("w", reason="enough")
        outcome = await env.client.outcome("w", timeout=60)
        return outcome.payload

    result, payload = play(stubborn, scene=scene)

    assert (result.type_name, payload["by"], payload["reason"]) == ("cancelled", "request", "enough")
    assert list(dict.fromkeys(met)) == ["begun 1", "asked 1", "begun 2", "asked 2"]


# --- children over links ----------------------------------------------------------------------------------------------


@loom.workflow
async def patient(ctx: loom.Context, links: int = 2) -> str:
    """Starts the same child in every link and waits for it in the last one."""
    child = await ctx.start_child(echo, "hi", 5)
    if links:
        ctx.continue_as_new(links - 1)
    return await child


def test_a_child_that_is_not_awaited_yet_is_the_same_one_in_the_next_link():
    """I39: the key has an edge that came along: its child, and nothing is started again; recorded for replay."""

    async def scene(env: Loom) -> Any:
        await env.client.result("w", timeout=60)
        children = [head.execution_id async for head in env.client.list(workflow="echo")]
        return len(children), await env.kinds("w")

    result, (children, kinds) = play(patient, scene=scene)

    assert (result, children) == ("hi", 1)
    assert kinds[:3] == ["STARTED", "STEP_STARTED", "STEP_COMPLETED"]
    assert kinds[-3:] == ["CHILD_OUTCOME", "RESUMED", "COMPLETED"]


def test_the_key_of_another_child_that_came_along_is_taken():
    """I39: another workflow under the key: the start fails, and says so."""

    @loom.workflow
    async def fickle(ctx: loom.Context, again: bool = True) -> Any:
        if again:
            await ctx.start_child(echo, "hi", 60, key="one")
            ctx.continue_as_new(False)
        try:
            await ctx.start_child("other", key="one")
        except loom.ChildFailed as failed:
            return failed.type_name

    assert play(fickle) == "AlreadyExists"


def test_a_child_of_one_run_stays_behind():
    """Design 2: scope `run`: the next link starts one of its own; the edge stays for its close policy."""

    @loom.workflow
    async def renewing(ctx: loom.Context, again: bool = True) -> str:
        child = await ctx.start_child(echo, "hi", 1, scope="run", close="abandon")
        if again:
            ctx.continue_as_new(False)
        return await child

    async def scene(env: Loom) -> Any:
        await env.client.result("w", timeout=60)
        return len([head async for head in env.client.list(workflow="echo")])

    assert play(renewing, scene=scene) == ("hi", 2)


def test_what_becomes_of_a_child_is_told_to_the_store():
    """Design 6: `start_child(close="cancel", scope="chain")` by default; an attached one is abandoned."""

    @loom.workflow
    async def policies(ctx: loom.Context) -> None:
        await ctx.start_child(echo, "a", key="default")
        await ctx.start_child(echo, "b", key="told", close="terminate", scope="run")
        await ctx.attach("there", key="adopted")

    async def scene(env: Loom) -> Any:
        return None

    async def whole():
        async with Loom() as env:
            await env.client.start(echo, "c", id="there")
            env.work(policies, echo)
            await (await env.client.start(policies, id="w")).result(timeout=60)
            children = await env.memory.read_children(
                c.ReadChildren(namespace=env.client.namespace, execution_id="w")  # type: ignore[arg-type]
            )
            return {edge.child_key: (edge.close, edge.scope) for edge in children.items}

    assert run_virtually(whole) == {
        "default": ("cancel", "chain"),
        "told": ("terminate", "run"),
        "adopted": ("abandon", "chain"),
    }


def test_losers_of_a_group_are_released_when_the_body_goes_on_at_once():
    """H50: a chain of such groups would keep each loser for ever."""

    @loom.workflow
    async def racing(ctx: loom.Context, again: bool = True) -> str:
        children = [await ctx.start_child(echo, str(n), n * 50, key=f"{again}{n}") for n in range(2)]
        busy = ctx.step("nap", nap, 3)  # so that the worker takes the outcome, and no answer of a park
        first = await ctx.gather(*children, policy="any")
        assert not busy.done()
        if again:
            ctx.continue_as_new(False)
        return first

    async def scene(env: Loom) -> Any:
        await env.client.result("w", timeout=60)
        children = await env.memory.read_children(
            c.ReadChildren(namespace=env.client.namespace, execution_id="w")  # type: ignore[arg-type]
        )
        return {edge.child_key: edge.released for edge in children.items}

    result, released = play(racing, scene=scene)

    assert result == "0"
    assert released["True1"] is True


# --- attach -----------------------------------------------------------------------------------------------------------


@loom.workflow
async def adopting(ctx: loom.Context, id: str, seconds: float = 0) -> Any:
    await ctx.step("nap", nap, seconds)
    child = await ctx.attach(id, type=str)
    again = await ctx.attach(id)
    try:
        return [await child, child is again, child.execution_id]
    except loom.ChildFailed as failed:
        return [failed.type_name, str(failed)]


@pytest.mark.parametrize("seconds", [0, 30], ids=["while it runs", "when it has ended"])
def test_what_somebody_else_started_is_awaited_like_a_child(seconds: float):
    """I41: its outcome comes, whoever was first: the attach or the end."""

    async def whole():
        async with Loom() as env:
            env.work(adopting, echo)
            await env.client.start(echo, "hi", 5, id="there")
            return await (await env.client.start(adopting, "there", seconds, id="w")).result(timeout=100)

    assert run_virtually(whole) == ["hi", True, "there"]


def test_a_failure_of_what_was_adopted_is_raised():
    """Design 6: as ChildFailed, naming what was attached."""

    async def whole():
        async with Loom() as env:
            env.work(adopting, echo)
            await env.client.start(echo, "oh!", id="there")
            await env.client.start(adopting, "there", id="w")
            await env.client.start(adopting, "nobody", id="v")
            return await env.client.result("w", timeout=100), await env.client.outcome("v", timeout=100)

    failed, nobody = run_virtually(whole)

    assert (failed[0], "there" in failed[1]) == ("ValueError", True)
    assert nobody.payload["type"] == "ChildFailed"


def test_an_attached_chain_goes_along():
    """I58: adopted in the first link, awaited in the last; the same id under the same key."""

    @loom.workflow
    async def keeper(ctx: loom.Context, links: int = 2) -> Any:
        child = await ctx.attach("there")
        if links:
            ctx.continue_as_new(links - 1)
        return await child

    async def whole():
        async with Loom() as env:
            await env.client.start(countdown, 2, id="there")
            env.work(keeper, countdown)
            return await (await env.client.start(keeper, id="w")).result(timeout=100)

    assert run_virtually(whole) == 3


# --- the first message ------------------------------------------------------------------------------------------------


@loom.workflow
async def cart(ctx: loom.Context, owner: str = "nobody") -> list[Any]:
    return [owner, *[await ctx.wait_event("item") for _ in range(3)]]


def test_the_first_message_starts_its_receiver():
    """Design 6, `send(start=)`: whoever is first; the others find it, with nothing lost and nothing started twice."""

    async def whole():
        async with Loom() as env:
            env.work(cart)
            sends = (env.client.send("c", "item", n, start=cart, args=("ada",)) for n in range(3))
            await asyncio.gather(*sends)
            owner, *items = await env.client.result("c", timeout=60)
            return owner, sorted(items), len([head async for head in env.client.list(workflow="cart")])

    assert run_virtually(whole) == ("ada", [0, 1, 2], 1)


def test_without_a_start_or_for_what_was_deleted_nothing_begins():
    """I5: a message brings nothing back."""

    async def whole():
        async with Loom() as env:
            with pytest.raises(NotFound):
                await env.client.send("c", "item", 1)
            await env.client.start("any", id="c", queue=None)
            await env.client.terminate("c")
            await env.memory.delete(
                c.Delete(namespace=env.client.namespace, execution_id="c", incarnation="*")  # type: ignore[arg-type]
            )
            with pytest.raises(Deleted):
                await env.client.send("c", "item", 1, start=cart)

    run_virtually(whole)


# --- faults that these tests must notice ------------------------------------------------------------------------------


def continuation_is_a_failure(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(runs, "continuation_in", lambda outcome: None)


def request_is_given_before_the_body_begins(patch: pytest.MonkeyPatch) -> None:
    def begin(body: Body, event: Any, payload: Any) -> None:
        body.context.pass_time(event.recorded_at)
        body._task = body.loop.start(body._main(payload["input"]))
        if payload["cancel"]:
            body._request_cancel(event)

    patch.setattr(Body, "_begin", begin)


def a_moved_childs_start_is_not_recorded(patch: pytest.MonkeyPatch) -> None:
    async def begin(run: Run, command: Any, request: Any) -> None:
        started = await run._ask_for_child(command, request)
        payload = runs.encode({"key": request.key, "child": started.child, "workflow": request.workflow})
        await run._log.give_written(EventKind.CHILD_STARTED, payload, started.seq)

    patch.setattr(Run, "_begin_child", begin)


def losers_are_forgotten(patch: pytest.MonkeyPatch) -> None:
    continue_ = Run._continue

    async def unreleased(run: Run, continuation: Any) -> Any:
        run._unwanted = set()
        return await continue_(run, continuation)

    patch.setattr(Run, "_continue", unreleased)


def any_branch_may_continue(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Commands, "check_leaving", lambda commands: None)


def policies_are_not_passed_on(patch: pytest.MonkeyPatch) -> None:
    from loom.stores.memory import MemoryEventStore

    start = MemoryEventStore.start_child

    async def started(store: MemoryEventStore, call: c.StartChild) -> c.ChildStarted:
        return await start(store, replace(call, close="cancel", scope="chain"))

    patch.setattr(MemoryEventStore, "start_child", started)


FAULTS: list[tuple[Callable[[pytest.MonkeyPatch], None], Callable[[], None]]] = [
    (continuation_is_a_failure, test_a_body_goes_on_as_new_and_whoever_waits_gets_the_last_links_result),
    (request_is_given_before_the_body_begins, test_a_cancel_meets_the_next_link_at_its_first_await),
    (a_moved_childs_start_is_not_recorded, test_a_child_that_is_not_awaited_yet_is_the_same_one_in_the_next_link),
    (losers_are_forgotten, test_losers_of_a_group_are_released_when_the_body_goes_on_at_once),
    (any_branch_may_continue, test_it_is_called_where_the_body_ends),
    (policies_are_not_passed_on, test_what_becomes_of_a_child_is_told_to_the_store),
    (policies_are_not_passed_on, test_a_child_of_one_run_stays_behind),
]


@pytest.mark.parametrize(("fault", "test"), FAULTS, ids=lambda each: each.__name__)
def test_a_fault_turns_its_sentence_red(fault: Any, test: Any, monkeypatch: pytest.MonkeyPatch):
    """Negative control: each of these faults breaks the sentence above that says so."""
    fault(monkeypatch)

    with pytest.raises((AssertionError, TimeoutError, loom.ExecutionFailed, RuntimeError)):
        test()
