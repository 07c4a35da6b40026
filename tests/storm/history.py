"""What every client wrote down: each call before it was sent, and what became of it (hazards 5.3)."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Literal, get_args

from loom.errors import Contended, LeaseHeld, LoomError, NotYet
from loom.ids import Nonce
from loom.kernel import calls as c
from loom.kernel.digests import grant_hash
from loom.kernel.raw_json import encode
from loom.wire.paths import PATHS

End = Literal["ok", "fail", "unknown"]

WRITES = frozenset(path.port for path in PATHS if path.call in {*get_args(c.WriteCall), c.ClaimRunnable})
"""The methods of the port that are recorded: those that change something."""

_NOTHING_DONE = (LeaseHeld, NotYet)  # contended, and judged all the same


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One call of one client. `call` and `answer` in their JSON form, nonces as the hashes that the store keeps.

    Instants are nanoseconds of this machine's monotonic clock, which all of its processes share. `ended_at` None: the
    client died first, and the outcome is unknown. `said`: the code of a refusal, or why nobody knows.
    """

    client: str
    number: int
    method: str
    call: dict[str, Any]
    invoked_at: int
    end: End = "unknown"
    ended_at: int | None = None
    answer: Any = None
    said: str = ""


class Record:
    """The file of one client: a line before a call is sent, another when it has ended. Both outlive a SIGKILL."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        self._numbers = count(time.monotonic_ns())  # a client that starts anew goes on in its file

    def invoked(self, method: str, call: Any) -> int:
        """Returns when the line is the kernel's: then the call may be sent."""
        number = next(self._numbers)
        self._write({"number": number, "at": time.monotonic_ns(), "invoke": method, "call": worded(call)})
        return number

    def ended(self, number: int, end: End, **told: Any) -> None:
        """What became of the call."""
        self._write({"number": number, "at": time.monotonic_ns(), "end": end, **told})

    def _write(self, line: dict[str, Any]) -> None:
        os.write(self._file, (json.dumps(line) + "\n").encode())

    def close(self) -> None:
        """No more calls."""
        os.close(self._file)


class RecordingStore:
    """A store, over HTTP or any other, of whose port every writing call is recorded; the twin's are, too."""

    def __init__(self, store: Any, record: Record) -> None:
        self._store = store
        self._record = record

    def twin(self) -> RecordingStore | None:
        """Another instance for another event loop, with the same record."""
        twin = getattr(self._store, "twin", lambda: None)()
        return None if twin is None else RecordingStore(twin, self._record)

    def __getattr__(self, name: str) -> Any:
        act = getattr(self._store, name)
        if name not in WRITES:
            return act

        async def recorded(call: Any) -> Any:
            number = self._record.invoked(name, call)
            try:
                answer = await act(call)
            except BaseException as error:
                self._record.ended(number, end_of(error), said=getattr(error, "code", type(error).__name__))
                raise
            self._record.ended(number, "ok", answer=worded(answer))
            return answer

        return recorded


def end_of(error: BaseException) -> End:
    """Was the call refused for good, or does nobody know? What is contended may have been done by an earlier try."""
    if isinstance(error, _NOTHING_DONE):
        return "fail"
    return "fail" if isinstance(error, LoomError) and not isinstance(error, Contended) else "unknown"


def worded(noun: Any) -> Any:
    """The JSON form of a call or an answer, without a nonce in it."""
    return _hashed(json.loads(encode(noun)))


def _hashed(form: Any) -> Any:
    if isinstance(form, list):
        return [_hashed(item) for item in form]
    if not isinstance(form, dict):
        return form
    kept = {name: _hashed(value) for name, value in form.items() if name != "nonce"}
    return {**kept, "grant": grant_hash(Nonce(form["nonce"]))} if "nonce" in form else kept


def read_histories(paths: Iterable[Path]) -> list[Operation]:
    """Every operation of every client, a file each, in the order of their calls.

    A process that was killed may have left half a line, its last: that call was never sent, or its end never heard.
    """
    return sorted(
        (operation for path in paths for operation in _read_history(path)), key=lambda operation: operation.invoked_at
    )


def _read_history(path: Path) -> Iterable[Operation]:
    begun: dict[int, dict[str, Any]] = {}
    ended: dict[int, dict[str, Any]] = {}
    for line in path.read_text().splitlines(keepends=True):
        if line.endswith("\n"):
            told = json.loads(line)
            (begun if "invoke" in told else ended)[told["number"]] = told
    for number, told in begun.items():
        end = ended.get(number, {"end": "unknown", "at": None, "said": "the client died"})
        yield Operation(
            client=path.stem,
            number=number,
            method=told["invoke"],
            call=told["call"],
            invoked_at=told["at"],
            end=end["end"],
            ended_at=end["at"],
            answer=end.get("answer"),
            said=end.get("said", ""),
        )
