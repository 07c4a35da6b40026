"""Each example runs, and does what its first lines say."""

import runpy
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.worker.registry import Workflow
from sdk.virtual import Loom, run_virtually

EXAMPLES = Path(__file__).parents[2] / "examples"


def play(name: str, workflow: str, *args: Any, send: Any = None) -> Any:
    """The result of a workflow in an example's file; `send(env, execution)` talks to it."""
    names = runpy.run_path(str(EXAMPLES / f"{name}.py"))
    workflows = [found for found in names.values() if isinstance(found, Workflow)]

    async def scene():
        async with Loom() as env:
            env.work(*workflows)
            execution = await env.client.start(names[workflow], *args, id="w")
            if send:
                await send(execution)
            try:
                return await execution.result(timeout=60)
            except loom.ExecutionFailed as failed:
                return failed

    return run_virtually(scene)


def test_hello_greets():
    """examples/hello.py runs."""
    assert play("hello", "hello", "ada") == "Hello, ada!"
    assert play("hello", "hello") == "Hello, world!"


def test_an_order_is_charged_under_a_key_or_undone():
    """examples/orders.py runs."""
    order = {"id": "ord-17", "item": "loom", "cents": 1900}

    assert play("orders", "order", order).startswith("charged 1900 under w@")
    failed = play("orders", "order", {**order, "cents": 1_000_000})
    assert (failed.type_name, failed.details) == ("StepFailed", None)


@pytest.mark.parametrize(
    ("granted", "answer"), [(True, "trip booked for 1250"), (False, "grace said no to trip"), (None, None)]
)
def test_an_approval_is_waited_for(granted: bool | None, answer: str | None):
    """examples/approvals.py runs."""

    async def send(execution: Any) -> None:
        if granted is not None:
            await execution.send("approval", {"by": "grace", "granted": granted}, key="trip")

    result = play("approvals", "purchase", "trip", 1250 if answer else 999, send=send)

    assert result == (answer or "trip booked for 999")


def test_a_part_that_failed_stands_among_the_results():
    """examples/fan_out.py runs."""
    assert play("fan_out", "count_all", ["to be or not", "to be", ""]) == {"words": 6, "failed": 1}


def test_a_ledger_goes_on_as_new_under_one_id():
    """examples/ledger.py runs."""

    async def send(execution: Any) -> None:
        for _ in range(120):
            await execution.send("paid", 5)
        await execution.send("paid", None)

    assert play("ledger", "ledger", 7, send=send) == 607


def test_every_example_is_tried_here_and_told_of_in_the_readme():
    """One file each, run by a test."""
    files = {path.stem for path in EXAMPLES.glob("*.py")}

    assert files == {name for name in files if f"[{name}.py]" in (EXAMPLES / "README.md").read_text()}
    assert files == {name for name in files if f'play("{name}"' in Path(__file__).read_text()}
