"""The process of a worker ends when it is told to, whatever its steps do."""

import subprocess
import sys
from concurrent.futures import Executor, Future
from threading import Barrier, Event, current_thread
from typing import Any

import pytest

from loom.worker.threads import StepThreads

BLOCKED = """
import asyncio, threading
import loom
from loom.clock import SystemClock
from loom.stores.memory import MemoryEventStore

begun = threading.Event()

def block():
    begun.set()
    threading.Event().wait()

@loom.workflow
async def blocked(ctx):
    await ctx.step("block", block)

async def main():
    store = MemoryEventStore(SystemClock())
    worker = loom.Worker(store, [blocked], drain_ms=0)
    await loom.Client(store).start(blocked, id="w")
    working = asyncio.create_task(worker.run())
    while not begun.is_set():
        await asyncio.sleep(0.01)
    worker.stop()
    await working
    print((await loom.Client(store).get("w")).shown)

asyncio.run(main())
"""


def test_a_sync_step_that_never_ends_does_not_keep_its_process_alive():
    """Design 6: running steps are awaited up to the drain limit; then the grant is free and the process may go."""
    ended = subprocess.run([sys.executable, "-c", BLOCKED], capture_output=True, text=True, timeout=50, check=False)

    assert (ended.returncode, ended.stdout) == (0, "runnable\n"), ended.stderr


SIGNALLED = """
import asyncio, os, signal
from loom.worker.runner import stop_on_signals

async def main():
    told = []
    stop_on_signals(lambda: told.append(print("stop", flush=True)))
    os.kill(os.getpid(), signal.SIGTERM)
    while not told:
        await asyncio.sleep(0.01)
    os.kill(os.getpid(), signal.SIGTERM)
    await asyncio.sleep(3600)

asyncio.run(main())
"""


def test_the_second_signal_ends_the_process():
    """Issue 3: an operator is not kept waiting by a step that takes no notice of its end."""
    ended = subprocess.run([sys.executable, "-c", SIGNALLED], capture_output=True, text=True, timeout=50, check=False)

    assert (ended.returncode, ended.stdout) == (-15, "stop\n"), ended.stderr


@pytest.fixture
def threads() -> Any:
    """Two of them, ended afterwards."""
    threads = StepThreads(2)
    yield threads
    threads.shutdown()


def test_threads_are_made_as_needed_and_used_again(threads: Executor):
    """One step after the other needs one thread; two that wait for each other need two; the third waits its turn."""
    names = {threads.submit(lambda: current_thread().name).result(10) for _ in range(20)}
    both = Barrier(2)
    pair = [threads.submit(both.wait, 10) for _ in range(2)]

    assert len(names) <= 2
    assert sorted(future.result(10) for future in pair) == [0, 1]

    gate = Event()
    held: list[Future[Any]] = [threads.submit(gate.wait, 10) for _ in range(2)]
    third = threads.submit(lambda: "at last")
    assert third.running() is third.done() is False
    assert third.cancel()
    gate.set()
    assert [future.result(10) for future in held] == [True, True]
    assert threads.submit(lambda: "next").result(10) == "next"


def test_whatever_a_call_raises_is_in_its_future(threads: Executor):
    """A thread outlives each of its calls."""
    with pytest.raises(SystemExit):
        threads.submit(sys.exit).result(10)
    assert threads.submit(lambda: "next").result(10) == "next"
