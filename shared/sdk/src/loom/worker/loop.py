"""The event loop of a workflow body: a ready queue, tasks and futures, and nothing whose effect varies.

What it cannot see: `time.time()`, `random`, blocking calls, threads made by hand, and the order of a set of strings, of
coroutines, of `asyncio.all_tasks()`, or of finished gathers in `as_completed`.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import sys
import threading
from collections import Counter, deque
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import Context
from types import FrameType
from typing import Any, cast

from loom.errors import Detached, NotReplaySafe
from loom.worker.tasks import BodyFuture, BodyTask

REFUSALS_MAX = 3  # what is refused more often never completes instead: a loop that swallows everything comes to wait
CALLBACKS_MAX = 1_000_000  # in one run: a body that spins on sleep(0) must not hold its worker for ever
CALLERS_MAX = 5  # how far above create_task `as_completed` is looked for

_TIMED = "a time-out or asyncio.sleep"
_UNSAFE = {
    "call_later": (_TIMED, "ctx.sleep, ctx.timeout, ctx.wait or ctx.as_completed"),
    "call_at": (_TIMED, "ctx.sleep or ctx.timeout"),
    "time": ("a time-out or the loop's clock", "ctx.timeout or ctx.now"),
    "run_in_executor": ("a thread or an executor", "a step"),
    "call_soon_threadsafe": ("a call from another thread", "a step"),
    "create_connection": ("a connection", "a step"),
    "subprocess_exec": ("a subprocess", "a step"),
    "subprocess_shell": ("a subprocess", "a step"),
}

_AS_COMPLETED = asyncio.as_completed.__code__
_WAIT = asyncio.wait.__code__

logger = logging.getLogger(__name__)


_Abstract: Any = asyncio.AbstractEventLoop  # its methods are all there, but added below: no type checker sees that


class BodyLoop(_Abstract):  # type: ignore[misc]
    """Runs one body. Of a loop's methods those defined here work; all others raise NotReplaySafe (body-loop 1 and 3).

    The worker drives it, from plain callbacks of its own loop: `start` and `run_until_idle`; then for each completion
    it gives the future its result, unless that is done, and runs again. After each run, before it appends anything, it
    looks at `poison`: the first refusal, kept here because a body can swallow it.
    """

    def __init__(self) -> None:
        self.poison: NotReplaySafe | None = None
        self.is_detached = False
        self._ready: deque[asyncio.Handle] = deque()
        self._open: dict[int, BodyTask] = {}  # in order of creation; a task that nobody else holds lives too
        self._children: Counter[str] = Counter()
        self._numbers = itertools.count()
        self._refusals = 0

    def start(self, coroutine: Coroutine[Any, Any, Any]) -> BodyTask:
        """Make the body's first task, branch `0`, which runs next. A cancel request is its `cancel()`."""
        return self.create_task(coroutine)

    def run_until_idle(self) -> None:
        """Run until nothing is ready, as the running loop of this thread, then leave the thread as it was found.

        A SystemExit of the body stays with the task that raised it: it ends no worker. KeyboardInterrupt comes through,
        nothing else does. A body that is still not idle after CALLBACKS_MAX callbacks is poisoned.
        """
        worker = asyncio._get_running_loop()
        assert worker is None or asyncio.current_task(worker) is None, "a body is driven from plain callbacks (1.8)"
        with _in_charge(self):
            for _ in range(CALLBACKS_MAX):
                if not self._ready:
                    return
                handle = self._ready.popleft()
                if not handle.cancelled():
                    with suppress(SystemExit):
                        handle._run()  # private, but what every loop calls: it reports to call_exception_handler
        if self._ready:
            self._poison(NotReplaySafe("turning without ever coming to wait", "an await of what it turns for"))

    def cancel_branches(self) -> None:
        """Cancel what is still open, oldest first: what a body that returned has left behind (body-loop 1.10)."""
        for task in list(self._open.values()):
            task.cancel()

    def detach(self) -> None:
        """Stop for good, then close each open coroutine, newest first: a lost grant, a stopping worker, a park.

        The body sees no exception; what its `finally` clauses ask for is refused, what they raise or await is dropped
        (body-loop 5). When this returns every coroutine has ended, and no report of it comes later.
        """
        self.is_detached = True
        self._refusals = 0
        self._ready.clear()
        tasks = list(self._open.values())
        self._open.clear()
        with _in_charge(self), _unheard():
            while tasks:
                tasks.pop().close_coroutine()

    def create_answer(self) -> BodyFuture:
        """The future of a `ctx` call; ask for it before anything else.

        Raises Detached on the way out, three times; from then on the future never completes, so that a body which
        swallows everything ends.
        """
        if self.is_detached:
            self._refuse(Detached())
        return self.create_future()

    def current_branch(self) -> str:
        """The branch of the running task; empty in a callback, which belongs to none."""
        task = asyncio.current_task(self)
        if isinstance(task, BodyTask):
            return task.branch
        if task is not None:
            self.refuse_unsafe("asyncio.Task", "asyncio.create_task")
        return ""

    def refuse_unsafe(self, call: str, instead: str) -> None:
        """Raise NotReplaySafe and keep the first as `poison`; Detached on the way out.

        After REFUSALS_MAX of them it returns, and what was called never completes.
        """
        if self.is_detached:
            self._refuse(Detached())
        else:
            error = NotReplaySafe(call, instead)
            self._poison(error)
            self._refuse(error)

    def _poison(self, error: NotReplaySafe) -> None:
        if self.poison is None:
            self.poison = error

    def _refuse(self, error: BaseException) -> None:
        self._refusals += 1
        if self._refusals <= REFUSALS_MAX:
            raise error

    # From here on, what asyncio and the body call.

    def create_task(
        self, coro: Coroutine[Any, Any, Any], *, name: str | None = None, context: Context | None = None
    ) -> BodyTask:
        """The next branch of the running task. On the way out it closes `coro` and raises Detached.

        Raises NotReplaySafe for `as_completed` over bare coroutines: it iterates a set of them, which hash by address.
        """
        if not asyncio.iscoroutine(coro):
            raise TypeError(f"a coroutine was expected, got {coro!r}")
        if self.is_detached:
            coro.close()
            return cast(BodyTask, self.create_answer())
        if _is_called_by_as_completed():
            self.refuse_unsafe("as_completed over bare coroutines", "tasks, or ctx.as_completed")
        task = BodyTask(
            coro, number=next(self._numbers), branch=self._name_branch(), loop=self, name=name, context=context
        )
        self._open[task.number] = task
        task.add_done_callback(self._forget)
        return task

    def _name_branch(self) -> str:
        parent = self.current_branch()
        nth = self._children[parent]
        self._children[parent] += 1
        return f"{parent}.{nth}" if parent else str(nth)

    def _forget(self, task: asyncio.Task[Any]) -> None:
        assert isinstance(task, BodyTask)
        self._open.pop(task.number, None)

    def create_future(self) -> BodyFuture:
        """A future, numbered.

        Raises NotReplaySafe for `asyncio.wait` over gathers: it answers with sets, and they hash by address.
        """
        if not all(isinstance(future, BodyFuture | BodyTask) for future in _list_waited_for()):
            self.refuse_unsafe("asyncio.wait over a gather or an asyncio.Future", "tasks, or ctx.wait")
        return BodyFuture(next(self._numbers), loop=self)

    def call_soon(self, callback: Callable[..., Any], *args: Any, context: Context | None = None) -> asyncio.Handle:
        """Put a callback at the end of the ready queue; after `detach` do nothing."""
        handle = asyncio.Handle(callback, args, self, context)
        if not self.is_detached:
            self._ready.append(handle)
        return handle

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Log what nobody awaited; after `detach` drop it."""
        if not self.is_detached:
            logger.error(context["message"], exc_info=context.get("exception"))

    def time(self) -> float:
        """Refused, like what it is read for: a time-out."""
        self.refuse_unsafe(*_UNSAFE["time"])
        return 0.0

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return True

    def is_closed(self) -> bool:
        return False

    def get_task_factory(self) -> None:
        return None


def _refuse_the_rest(loop: type[BodyLoop]) -> None:
    """Refuse every method of a loop that the class does not define, so that a new Python cannot add a hole."""
    for name in dir(asyncio.AbstractEventLoop):
        if not name.startswith("__") and name not in vars(loop):
            setattr(loop, name, _make_refusal(name))


def _make_refusal(name: str) -> Callable[..., BodyFuture]:
    call, instead = _UNSAFE.get(name, (f"loop.{name}", "a step"))

    def refuse(self: BodyLoop, *args: Any, **kwargs: Any) -> BodyFuture:
        self.refuse_unsafe(call, instead)
        return self.create_future()

    return refuse


def _is_called_by_as_completed() -> bool:
    """Is asyncio's as_completed among the nearest callers of the caller?"""
    frame: FrameType | None = sys._getframe(2)
    for _ in range(CALLERS_MAX):
        if frame is None or frame.f_code is _AS_COMPLETED:
            return frame is not None
        frame = frame.f_back
    return False


def _list_waited_for() -> Iterable[object]:
    """What asyncio.wait waits for, if it is the caller of the caller's caller."""
    frame = sys._getframe(2).f_back
    return frame.f_locals["fs"] if frame is not None and frame.f_code is _WAIT else ()


@contextmanager
def _in_charge(loop: BodyLoop) -> Iterator[None]:
    """The thread's running loop is this one, and its hooks finalise no async generator (body-loop 1.8 and 1.9)."""
    running, hooks = asyncio._get_running_loop(), sys.get_asyncgen_hooks()
    assert running is not loop, "a body does not drive itself"
    asyncio._set_running_loop(loop)  # not private: it is there for whoever writes a loop
    sys.set_asyncgen_hooks(_leave_alone, _leave_alone)
    try:
        yield
    finally:
        sys.set_asyncgen_hooks(*hooks)
        asyncio._set_running_loop(running)


def _leave_alone(_: AsyncGenerator[Any, Any]) -> None:
    pass


_hook = threading.RLock()  # the hook below is the process's; two workers may detach at once


@contextmanager
def _unheard() -> Iterator[None]:
    """Drop what this thread cannot raise, such as "coroutine ignored GeneratorExit" (body-loop 5)."""
    thread = threading.get_ident()
    with _hook:
        report = sys.unraisablehook
        sys.unraisablehook = lambda args: None if threading.get_ident() == thread else report(args)
        try:
            yield
        finally:
            sys.unraisablehook = report


_refuse_the_rest(BodyLoop)
